daedal_room(invert base expr compile model derive structure formulate solve analyse)

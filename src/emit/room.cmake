daedal_room(emit base expr compile model derive structure formulate solve invert)

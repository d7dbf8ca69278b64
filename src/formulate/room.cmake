daedal_room(formulate base expr compile model derive structure)

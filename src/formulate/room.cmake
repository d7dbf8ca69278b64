daedal_room(formulate base expr compile language model derive structure)

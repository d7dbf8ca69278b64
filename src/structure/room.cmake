daedal_room(structure base expr model derive)

daedal_room(derive base expr model)

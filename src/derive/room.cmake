daedal_room(derive base expr language model)

daedal_room(laws base expr language model)

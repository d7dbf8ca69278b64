daedal_room(units base)

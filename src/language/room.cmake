daedal_room(language base)

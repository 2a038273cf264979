"""What a record must look like before anything in it is believed."""

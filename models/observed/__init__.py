"""What running brokers and clients were seen to do, read from their own logs."""

"""The steps of `setup` and `uninstall`: each looks first, changes only what is not yet right, and says what it did."""

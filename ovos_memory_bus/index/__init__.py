"""What search needs of the store, in memory: one owner's items as arrays, their words, their vectors. All derived."""

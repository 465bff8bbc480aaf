"""What is true of a mechanism: each file is a page of the book, over any scalar."""

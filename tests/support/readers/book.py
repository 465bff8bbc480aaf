"""tools/book_pages.py and tools/book.py for the tests: the pages of docs/book/ and their data."""

from tools.others import tool

pages = tool("book_pages")
book = tool("book")

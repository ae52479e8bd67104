from tests.web.people import alice, mate, nobody, stranger, table

__all__ = ["alice", "mate", "nobody", "stranger", "table"]

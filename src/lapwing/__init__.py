"""Lapwing: answers about a table of people, each with a proof that no answer depends much on any one of them."""

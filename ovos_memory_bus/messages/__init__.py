"""The words of the protocol: one module a family of topics, one frozen dataclass a request.

Raw dicts stop here: `X.from_data(message.data)` checks every key and raises `InvalidRequest` naming the field.
"""

"""A memory for OpenVoiceOS on the messagebus. Only the version is here: importing the persona plugin stays cheap."""

__version__ = "0.1.0"

"""What `doctor` looks at, one module a part of the installation; every check is a function that returns findings."""

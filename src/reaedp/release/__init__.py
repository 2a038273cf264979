"""What came out: the release, its folder with manifest, README.txt and signature, and how a folder is checked."""

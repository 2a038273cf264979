"""Pages for people, made from what is public: a release folder, or a plan. Nothing here can reach a record."""

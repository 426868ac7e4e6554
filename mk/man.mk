man:
.PHONY: man
MAN_PAGES :=

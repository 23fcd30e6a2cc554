"""The cases of `scripts/check image`: what an image does in QEMU."""

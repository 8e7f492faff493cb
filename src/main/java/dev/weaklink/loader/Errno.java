package dev.weaklink.loader;

/** The errno names the loader's steps give. */
final class Errno {
  static final String EPERM = "EPERM";
  static final String ENOENT = "ENOENT";
  static final String ENOEXEC = "ENOEXEC";
  static final String ENOMEM = "ENOMEM";
  static final String EINVAL = "EINVAL";
  static final String EBADMSG = "EBADMSG";
  static final String EMSGSIZE = "EMSGSIZE";
  static final String ENOKEY = "ENOKEY";
  static final String EKEYREJECTED = "EKEYREJECTED";
  static final String ENOPKG = "ENOPKG";
  static final String EEXIST = "EEXIST";

  private Errno() {}
}

package dev.weaklink.format.archive;

/** Numbers of rpm's tags (rpm, docs/manual/tags.md). */
final class RpmTag {
  static final int NAME = 1000;
  static final int VERSION = 1001;
  static final int RELEASE = 1002;
  static final int EPOCH = 1003;
  static final int OLD_FILE_NAMES = 1027;
  static final int FILE_SIZES = 1028;
  static final int FILE_MODES = 1030;
  static final int FILE_LINKTOS = 1036;
  static final int SOURCE_RPM = 1044;
  static final int REQUIRE_FLAGS = 1048;
  static final int REQUIRE_NAME = 1049;
  static final int REQUIRE_VERSION = 1050;
  static final int FILE_DEVICES = 1095;
  static final int FILE_INODES = 1096;
  static final int DIR_INDEXES = 1116;
  static final int BASE_NAMES = 1117;
  static final int DIR_NAMES = 1118;
  static final int PAYLOAD_FORMAT = 1124;
  static final int LONG_FILE_SIZES = 5008;
  static final int RPM_FORMAT = 5114;

  private RpmTag() {}
}

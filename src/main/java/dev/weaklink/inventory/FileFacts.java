package dev.weaklink.inventory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is in a module's file. Texts are bytes; digests are 64 hexadecimal digits.
 *
 * @param digest of the file as it lies there
 * @param depends null if it does not say
 * @param signature null if nothing else can be told either
 * @param crcs digest of its table of versions; null if there is none
 * @param tables the tables themselves; null if nobody asked for them
 */
record FileFacts(
    String digest,
    @Nullable String version,
    @Nullable String srcversion,
    @Nullable String vermagic,
    @Nullable String depends,
    @Nullable ToldSignature signature,
    @Nullable String crcs,
    @Nullable Tables tables) {
  /**
   * CRC and name of each symbol.
   *
   * @param versions demands in the order of the table
   * @param exports sorted by name
   */
  record Tables(List<String> versions, List<String> exports) {}
}

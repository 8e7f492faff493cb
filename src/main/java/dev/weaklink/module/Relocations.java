package dev.weaklink.module;

/**
 * What the relocations of loaded sections demand of the loader; x86-64 only, the facts for other
 * machines are not known.
 *
 * @param examined whether they were looked at
 * @param typesUsed bit t set: relocation type t (below 64) is used
 * @param firstHighType the first type of 64 and above, -1 if none
 * @param firstNonZeroTarget type of the first relocation whose target is not zero, -1 if none
 *     (arch/x86/kernel/module.c refuses those from 4.15 on)
 */
public record Relocations(
    boolean examined, long typesUsed, int firstHighType, int firstNonZeroTarget) {
  /** Not looked at. */
  public static final Relocations NOT_EXAMINED = new Relocations(false, 0, -1, -1);
}

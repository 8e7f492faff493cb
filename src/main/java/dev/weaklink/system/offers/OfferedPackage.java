package dev.weaklink.system.offers;

import java.util.Comparator;

/**
 * A package that a repository offers.
 *
 * @param version with epoch and release, as its package manager writes it
 */
public record OfferedPackage(String name, String version, String architecture)
    implements Comparable<OfferedPackage> {
  private static final Comparator<OfferedPackage> ORDER =
      Comparator.comparing(OfferedPackage::name)
          .thenComparing(OfferedPackage::version)
          .thenComparing(OfferedPackage::architecture);

  @Override
  public int compareTo(OfferedPackage other) {
    return ORDER.compare(this, other);
  }
}

package dev.weaklink.rebuild;

import java.util.List;

/**
 * Where a group of modules can be built from.
 *
 * @param backend id of the backend; empty if none is known
 * @param product what it is called on the command line; empty if it has no name
 * @param packages DKMS packages {@code name/version} or names of akmods that build it
 * @param reason what shows that, or what is missing, for people
 */
public record Source(String backend, String product, List<String> packages, String reason) {
  public Source {
    packages = List.copyOf(packages);
  }
}

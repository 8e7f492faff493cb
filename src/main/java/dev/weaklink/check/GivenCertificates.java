package dev.weaklink.check;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.module.signature.CertificateFile;
import dev.weaklink.module.signature.EncodedCertificate;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the certificate files that a request names. */
final class GivenCertificates {
  private static final int LONGEST = 1 << 20;
  private static final String WHAT_TO_GIVE = "; give a certificate as PEM or DER";

  private GivenCertificates() {}

  /** All certificates in the files, in order; a problem says which file has none. */
  static List<EncodedCertificate> read(List<String> files, List<InputProblem> problems) {
    List<EncodedCertificate> all = new ArrayList<>();
    for (String file : files) {
      try {
        byte[] contents = RawFile.read(Path.of(file), LONGEST);
        List<EncodedCertificate> found = CertificateFile.read(contents, file);
        if (found.isEmpty()) {
          problems.add(new InputProblem(file, "no certificate in it" + WHAT_TO_GIVE));
        }
        all.addAll(found);
      } catch (UnreadableException e) {
        problems.add(new InputProblem(file, e.reason() + WHAT_TO_GIVE));
      } catch (InvalidPathException e) {
        problems.add(new InputProblem(file, "no such file" + WHAT_TO_GIVE));
      }
    }
    return all;
  }
}

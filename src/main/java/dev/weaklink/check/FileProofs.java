package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.module.signature.SignatureVerifier.Named;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What cryptography says of the signatures of files that have been read. However many kernels trust
 * a key, files are held against it once. May be used by several threads.
 */
final class FileProofs {
  /** Of no files. */
  static final FileProofs NONE = new FileProofs(null, 0);

  private final @Nullable ModuleBatch batch;
  private final Map<KernelModule, Integer> places = new IdentityHashMap<>();
  private final Map<String, @Nullable Proof[]> byCertificates = new HashMap<>();
  private @Nullable Named @Nullable [] named;

  FileProofs(@Nullable ModuleBatch batch, int size) {
    this.batch = batch;
    for (int i = 0; batch != null && i < size; i++) {
      if (batch.failure(i) == null) {
        places.put(batch.module(i), i);
      }
    }
  }

  /** Whether this is a module of one of the files. */
  boolean has(KernelModule module) {
    return places.containsKey(module);
  }

  /** What is said of the signature of one of the modules. */
  synchronized Proof of(KernelModule module, SignatureVerifier verifier) {
    Integer place = places.get(module);
    if (batch == null || place == null) {
      return Proof.NONE;
    }
    named = named == null ? named(batch) : named;
    Named of = named[place];
    if (of == null) {
      return Proof.NONE;
    }
    String certificates = verifier.certificates(of);
    if (certificates.isEmpty()) {
      boolean isUnknown = of.withoutKeys().result() == Result.UNKNOWN_KEY;
      return isUnknown ? verifier.unknown() : of.withoutKeys();
    }
    @Nullable Proof[] proofs = byCertificates.get(certificates);
    if (proofs == null) {
      proofs = verify(batch, named, certificates, verifier);
      byCertificates.put(certificates, proofs);
    }
    Proof proof = proofs[place];
    // Where a certificate was found is another place on each kernel.
    return proof == null ? Proof.NONE : new Proof(proof.result(), verifier.words(of));
  }

  private @Nullable Named[] named(ModuleBatch files) {
    @Nullable Named[] found = new Named[end()];
    BitSet signed = new BitSet();
    places.forEach((module, place) -> signed.set(place, module.signature().signer() != null));
    files.again(
        signed,
        (index, data, length) -> {
          SignedContents contents = SignedContents.of(data, length);
          found[index] = contents == null ? null : SignatureVerifier.named(data, contents);
        });
    return found;
  }

  private @Nullable Proof[] verify(
      ModuleBatch files, @Nullable Named[] all, String certificates, SignatureVerifier verifier) {
    @Nullable Proof[] proofs = new Proof[end()];
    BitSet wanted = new BitSet();
    for (int i = 0; i < all.length; i++) {
      Named one = all[i];
      wanted.set(i, one != null && certificates.equals(verifier.certificates(one)));
    }
    files.again(
        wanted,
        (index, data, length) -> {
          SignedContents contents = SignedContents.of(data, length);
          proofs[index] = contents == null ? Proof.NONE : verifier.verify(data, contents);
        });
    return proofs;
  }

  private int end() {
    int end = 0;
    for (int place : places.values()) {
      end = Math.max(end, place + 1);
    }
    return end;
  }
}

/**
 * Decides how modules are rebuilt for another kernel, and what the result of a build means. The input is an
 * {@link dev.weaklink.rebuild.Evidence} (the facts that show how modules were built), rules, and the log of a build. A
 * backend is a way to build modules, such as DKMS. A trial is a build that installs nothing. The results are a
 * {@link dev.weaklink.rebuild.Job}, the {@link dev.weaklink.rebuild.Step} programs that it runs, and a
 * {@link dev.weaklink.rebuild.Diagnosis}. Open {@link dev.weaklink.rebuild.SourceChooser} first: it chooses the
 * backend. {@link dev.weaklink.rebuild.Backends} lists the backends, {@link dev.weaklink.rebuild.Preflight} finds
 * obstacles before a build, and {@link dev.weaklink.rebuild.LogDigest} explains a failure. No class of this package
 * reads files or starts programs; {@code rebuild.run} does.
 */
@NullMarked
package dev.weaklink.rebuild;

import org.jspecify.annotations.NullMarked;

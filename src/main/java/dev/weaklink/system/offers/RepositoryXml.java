package dev.weaklink.system.offers;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * A parser for the tags of repository metadata. A file with a document type declaration is refused, because real
 * metadata has none. Java's parser keeps a whole tag or comment in memory, so the bytes of each tag and comment are
 * limited.
 */
final class RepositoryXml {
    private static final int MAX_TAG = 64 << 10;
    private static final int MAX_TEXT = 4 << 10;
    private static final int MAX_DEPTH = 64;

    private final Handler handler;
    private final StringBuilder text = new StringBuilder();
    private boolean wantsText;
    private int depth;

    private RepositoryXml(Handler handler) {
        this.handler = handler;
    }

    interface Handler {
        /** Receives an opening tag; returns whether the handler needs the text up to the next tag. */
        boolean start(Tag tag);

        void text(String text);

        void end(Tag tag) throws IOException;
    }

    /** A tag, valid until the next tag is read. */
    record Tag(XMLStreamReader xml) {
        boolean is(String name) {
            String own = xml.getLocalName();
            return own.endsWith(name)
                    && (own.length() == name.length() || own.charAt(own.length() - name.length() - 1) == ':');
        }

        String text(String attribute) {
            String value = xml.getAttributeValue(null, attribute);
            return value == null ? "" : value;
        }
    }

    /**
     * Reads a whole file.
     *
     * @param top the name of the outermost tag
     * @throws IOException if the file cannot be read, is invalid, or has another outermost tag
     */
    static void read(InputStream in, String top, Handler handler) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        Window window = new Window(in);
        try {
            // Java's own decoder prints to standard error where bytes are not UTF-8.
            Reader characters = new InputStreamReader(window, StandardCharsets.UTF_8.newDecoder());
            XMLStreamReader xml = factory.createXMLStreamReader(characters);
            Tag tag = new Tag(xml);
            RepositoryXml reading = new RepositoryXml(handler);
            while (xml.hasNext()) {
                window.left = MAX_TAG;
                int event = xml.next();
                if (event == XMLStreamConstants.START_ELEMENT && reading.depth == 0 && !tag.is(top)) {
                    throw new IOException("is no " + top + " of a repository");
                }
                reading.take(event, tag);
            }
        } catch (XMLStreamException e) {
            if (e.getNestedException() instanceof CharacterCodingException) {
                throw new IOException("is not valid UTF-8", e);
            }
            if (e.getNestedException() instanceof IOException reason) {
                throw reason;
            }
            throw new IOException(window.ended ? "ends too early" : "is not well-formed XML", e);
        }
    }

    private void take(int event, Tag tag) throws IOException {
        switch (event) {
            case XMLStreamConstants.START_ELEMENT -> {
                handOver();
                if (++depth > MAX_DEPTH) {
                    throw new IOException(
                            "the repository's metadata has tags that are nested more than " + MAX_DEPTH + " deep");
                }
                wantsText = handler.start(tag);
            }
            case XMLStreamConstants.END_ELEMENT -> {
                handOver();
                depth--;
                handler.end(tag);
            }
            case XMLStreamConstants.CHARACTERS -> {
                if (wantsText && text.length() < MAX_TEXT) {
                    text.append(tag.xml().getText());
                }
            }
            case XMLStreamConstants.DTD -> throw new IOException("declares document types or entities");
            default -> {}
        }
    }

    private void handOver() {
        if (wantsText) {
            handler.text(text.toString());
            text.setLength(0);
            wantsText = false;
        }
    }

    /** A stream that limits the number of bytes for each tag. */
    private static final class Window extends FilterInputStream {
        private long left = MAX_TAG;
        private boolean ended;

        Window(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left <= 0) {
                throw new IOException("the repository's metadata has a tag of more than " + MAX_TAG + " bytes");
            }
            int count = in.read(bytes, offset, length);
            left -= Math.max(count, 0);
            ended |= count < 0;
            return count;
        }
    }
}

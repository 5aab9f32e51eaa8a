"""A mail server (aiosmtpd) that prints each letter, parsed by Python's own parser, as a line of JSON."""

import asyncio
import json
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP


def say(event):
    print(json.dumps(event), flush=True)


class Mailbox:
    async def handle_DATA(self, server, session, envelope):
        letter = message_from_bytes(envelope.content, policy=policy.default)
        plain = letter.get_body(("plain",))
        say(
            {
                "event": "letter",
                "to": envelope.rcpt_tos[0],
                "sender": envelope.mail_from,
                "id": letter["Message-ID"],
                "subject": letter["subject"],
                "text": plain.get_content() if plain else None,
                "defects": [str(defect) for part in letter.walk() for defect in part.defects]
                + [f"{name}: {defect}" for name, value in letter.items() for defect in value.defects],
                "absent": [name for name in ("Date", "From", "To", "Message-ID", "MIME-Version") if name not in letter],
                "longest": max(len(line) for line in envelope.original_content.split(b"\r\n")),
            }
        )
        return "250 OK"


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Mailbox(), hostname="mail.example"), "127.0.0.1", 0)
    say({"event": "listening", "port": server.sockets[0].getsockname()[1]})
    await server.serve_forever()


asyncio.run(serve())

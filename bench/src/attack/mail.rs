//! A mail server that takes every letter and forgets it. Without one, Placet refuses invitations.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use anyhow::Result;

/// Starts it. It runs as long as the process.
pub fn start() -> Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that hangs up ends its thread.
            thread::spawn(move || drop(serve(&stream)));
        }
    });
    Ok(address)
}

fn serve(mut stream: &TcpStream) -> Result<()> {
    stream.write_all(b"220 bench\r\n")?;
    let mut is_letter = false;
    for line in BufReader::new(stream).lines() {
        let line = line?.to_ascii_uppercase();
        if is_letter && line != "." {
            continue;
        }
        is_letter = line == "DATA";
        let answer: &[u8] = match line.as_str() {
            "DATA" => b"354 go on\r\n",
            "QUIT" => b"221 bye\r\n",
            _ => b"250 ok\r\n",
        };
        stream.write_all(answer)?;
    }
    Ok(())
}

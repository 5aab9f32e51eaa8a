//! A server whose pictures come byte by byte.

use std::{
    io::Write,
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use anyhow::Result;

use crate::machine::pause;

/// Starts it. It runs as long as the process.
pub fn start() -> Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        let mut waiting: Vec<TcpStream> = Vec::new();
        loop {
            while let Ok((mut stream, _)) = listener.accept() {
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n";
                if stream.write_all(head.as_bytes()).is_ok() {
                    waiting.push(stream);
                }
            }
            waiting.retain_mut(|stream| stream.write_all(&[0x89]).is_ok());
            pause(Duration::from_millis(200));
        }
    });
    Ok(address)
}

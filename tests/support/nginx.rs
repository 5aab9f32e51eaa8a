//! An nginx with its purge module in front of the server under test, configured as in the guide for
//! operators.

use std::{
    net::TcpListener,
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::cache::{operators_guide, program};

/// Debian's path of the module.
const MODULE: &str = "/usr/lib/nginx/modules/ngx_http_cache_purge_module.so";

/// A running nginx. It ends with the test.
pub struct Nginx {
    child: Option<Child>,
    /// The reserved port, which is handed over to nginx.
    listener: Option<TcpListener>,
    folder: TempDir,
    /// Its address, as `http://127.0.0.1:<port>`.
    pub url: String,
}

impl Nginx {
    /// Reserves a port.
    pub fn new() -> Self {
        assert!(
            Path::new(MODULE).is_file(),
            "`cargo xtask test` installs nginx with its purge module"
        );
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        Self {
            child: None,
            listener: Some(listener),
            folder: tempfile::tempdir().expect("a temporary folder"),
            url: format!("http://{address}"),
        }
    }

    /// Starts nginx with a server behind it.
    pub fn serve(&mut self, base: &str) {
        let folder = self.folder.path();
        let cached = folder.join("cache").display().to_string();
        let mut shown = operators_guide("nginx").to_owned();
        for (in_guide, here) in [
            ("/var/cache/nginx/placet", &*cached),
            (
                "listen 6081",
                &*format!("listen {}", self.url.trim_start_matches("http://")),
            ),
            ("http://127.0.0.1:8080", base),
            ("10.0.0.0/8", "127.0.0.1"),
        ] {
            assert_eq!(shown.matches(in_guide).count(), 1, "{in_guide}");
            shown = shown.replace(in_guide, here);
        }
        let own: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {kind};\n"))
            .concat();
        let rules = format!(
            "load_module {MODULE};\ndaemon off;\nuser root;\npid pid;\nerror_log errors;\n\
             events {{}}\nhttp {{\naccess_log off;\n{own}\
             add_header X-Cache $upstream_cache_status;\n{shown}\n}}\n"
        );
        std::fs::write(folder.join("rules.conf"), rules).expect("a file");
        let listener = self.listener.take().expect("it starts once");
        let child = self
            .command()
            // nginx takes over inherited sockets that are bound to an address of its configuration.
            .env("NGINX", "0;")
            .stdin(Stdio::from(OwnedFd::from(listener)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx starts: `cargo xtask test` installs it");
        self.child = Some(child);
    }

    /// Ends nginx and its workers.
    pub fn stop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let told = self.command().args(["-s", "stop"]).output();
        if !told.is_ok_and(|output| output.status.success()) {
            let _ = child.kill();
        }
        let _ = child.wait();
    }

    fn command(&self) -> Command {
        let mut command = Command::new(program("nginx"));
        command
            .arg("-p")
            .arg(self.folder.path())
            .args(["-c", "rules.conf", "-e", "errors"]);
        command
    }
}

impl Default for Nginx {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.stop();
    }
}

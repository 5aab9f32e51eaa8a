//! An nginx in front of the server under test, configured as in the guide for operators (with its purge
//! module) or by the site in `deploy`.

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

    /// Starts nginx as a cache with a server behind it.
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
        self.start(&format!(
            "access_log off;\nadd_header X-Cache $upstream_cache_status;\n{shown}"
        ));
    }

    /// Starts nginx with the site of `deploy/nginx.conf`, without TLS, and a server behind it.
    pub fn serve_site(&mut self, base: &str) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/nginx.conf");
        let site = std::fs::read_to_string(path).expect("the site");
        let listen = format!("listen {}", self.url.trim_start_matches("http://"));
        let is_left_out = |line: &&str| {
            let line = line.trim_start();
            line.starts_with("ssl_") || line.starts_with("listen [::]")
        };
        let site: Vec<&str> = site.lines().filter(|line| !is_left_out(line)).collect();
        let site = site.join("\n");
        let mut here = site.clone();
        for (in_site, replacement) in [
            ("listen 443 ssl http2", listen.as_str()),
            ("listen 80", listen.as_str()),
            ("127.0.0.1:8080", base.trim_start_matches("http://")),
            ("/var/log/nginx/", ""),
        ] {
            assert!(site.contains(in_site), "{in_site}");
            here = here.replace(in_site, replacement);
        }
        // As in Debian's own configuration.
        self.start(&format!("access_log all.log;\n{here}"));
    }

    /// A file of its folder.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn start(&mut self, rules: &str) {
        let own: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {kind};\n"))
            .concat();
        let rules = format!(
            "load_module {MODULE};\ndaemon off;\nuser root;\npid pid;\nerror_log errors;\n\
             events {{}}\nhttp {{\n{own}{rules}\n}}\n"
        );
        std::fs::write(self.folder.path().join("rules.conf"), rules).expect("a file");
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

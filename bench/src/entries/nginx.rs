//! nginx with the same published file, as the measure of a plain web server.

use std::{fs, path::PathBuf, process::Command};

use anyhow::Result;

use super::Entry;
use crate::{
    load::Template,
    process::{Server, free_address},
};

pub struct Nginx {
    program: PathBuf,
    dir: PathBuf,
}

impl Nginx {
    pub fn prepare(program: PathBuf, dir: PathBuf, file: &str) -> Result<Self> {
        fs::create_dir_all(dir.join("www"))?;
        fs::write(dir.join("www/file.json"), file)?;
        Ok(Self { program, dir })
    }
}

impl Entry for Nginx {
    fn name(&self) -> String {
        "nginx, the same file".to_owned()
    }

    fn start(&self) -> Result<Server> {
        let address = free_address()?;
        let dir = self.dir.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|what| format!("{what}_temp_path {dir}/{what};"))
            .concat();
        let config = format!(
            "daemon off; worker_processes 2; pid {dir}/pid; error_log {dir}/error.log warn;\n\
             events {{ worker_connections 1024; }}\n\
             http {{\n\
               access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; {temporary}\n\
               keepalive_requests 1000000000; open_file_cache max=16 inactive=1h;\n\
               default_type application/json;\n\
               server {{ listen {address}; root {dir}/www; add_header cache-control \"public, max-age=60\"; }}\n\
             }}\n"
        );
        fs::write(self.dir.join("nginx.conf"), config)?;
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(self.dir.join("nginx.conf"));
        Server::start(command, address, "/file.json", &self.dir.join("log"))
    }

    fn record(&self) -> Option<Template> {
        None
    }

    fn file(&self) -> Option<Template> {
        Some(Template::get("/file.json"))
    }

    fn stored(&self) -> Result<u64> {
        Ok(0)
    }
}

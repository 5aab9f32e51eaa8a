//! Installs the requirements of a command once, without the network when they are present. It says what to
//! install if it cannot do so itself.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::{Context, Result, bail};

use crate::{
    step::{Tool, step},
    workspace,
};

/// The rustc target of all code for browsers.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// The oldest Node.js that the browser tests and build tools run on.
const NODE_MAJOR: u32 = 18;

/// Debian's path of Go's library of transparency logs.
const GO_LOGS: &str = "/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog";
/// Debian's path of nginx's purge module.
const NGINX_PURGE: &str = "/usr/lib/nginx/modules/ngx_http_cache_purge_module.so";

/// Held during an installation: two lanes of the tests may need the same package, and apt refuses to run
/// twice.
static INSTALLING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    INSTALLING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A requirement outside of Rust, from the system's packages.
#[derive(Clone, Copy)]
pub enum Package {
    Node,
    Chromium,
    /// Chromium without windows, for the tests of pages; not every system has it, and Chromium itself does instead.
    ChromiumShell,
    Postgres,
    Python,
    /// A cache, for the tests of clearing caches.
    Varnish,
    /// Another cache, for the same tests.
    NginxPurge,
    /// A second browser, for the tests of the widget.
    Firefox,
    /// A third browser, and the display that it needs, for the same.
    WebKit,
    /// For the tests of the guides.
    Php,
    /// WordPress's files, MariaDB and PHP, for the tests of the plugin.
    WordPress,
    /// For the tests of the guides.
    Curl,
    /// Go and its library of transparency logs, for the tests of the ledger.
    Go,
    /// An authority that stamps the time, for the tests of the ledger.
    OpenSsl,
    /// Only for benchmarks.
    Nginx,
}

impl Package {
    /// The packages that `run` and `test` need.
    pub const ALL: [Self; 13] = [
        Self::Node,
        Self::Chromium,
        Self::Postgres,
        Self::Python,
        Self::Varnish,
        Self::NginxPurge,
        Self::Firefox,
        Self::WebKit,
        Self::Php,
        Self::WordPress,
        Self::Curl,
        Self::Go,
        Self::OpenSsl,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Node => "Node.js 18 or newer, with npm",
            Self::Chromium => "Chromium",
            Self::ChromiumShell => "Chromium's headless shell",
            Self::Postgres => "PostgreSQL 15 or newer",
            Self::Python => "Python 3 with venv",
            Self::Varnish => "Varnish 6 or newer",
            Self::NginxPurge => "nginx with ngx_cache_purge",
            Self::Firefox => "Firefox",
            Self::WebKit => "WebKitGTK with its WebDriver, and Xvfb",
            Self::Php => "PHP 7.4 or newer",
            Self::WordPress => "WordPress, with MariaDB and PHP's mysqli",
            Self::Curl => "curl",
            Self::Go => "Go 1.19 or newer, with golang.org/x/mod",
            Self::OpenSsl => "OpenSSL 3",
            Self::Nginx => "nginx",
        }
    }

    /// Package names in Debian and its derivatives.
    fn apt(self) -> &'static [&'static str] {
        match self {
            Self::Node => &["nodejs", "npm"],
            Self::Chromium => &["chromium"],
            Self::ChromiumShell => &["chromium-headless-shell"],
            Self::Postgres => &["postgresql"],
            Self::Python => &["python3", "python3-venv"],
            Self::Varnish => &["varnish"],
            Self::NginxPurge => &["nginx-light", "libnginx-mod-http-cache-purge"],
            Self::Firefox => &["firefox-esr"],
            Self::WebKit => &["webkit2gtk-driver", "xvfb", "xauth"],
            Self::Php => &["php-cli"],
            Self::WordPress => &["php-cli", "php-mysql", "mariadb-server-core"],
            Self::Curl => &["curl"],
            Self::Go => &["golang-go", "golang-golang-x-mod-dev"],
            Self::OpenSsl => &["openssl"],
            Self::Nginx => &["nginx-light"],
        }
    }

    /// Address to get it from without apt.
    fn elsewhere(self) -> &'static str {
        match self {
            Self::Node => "https://nodejs.org/en/download",
            Self::Chromium | Self::ChromiumShell => {
                "https://www.chromium.org/getting-involved/download-chromium, \
                 then set PLACET_CHROMIUM to its program file"
            }
            Self::Postgres => "https://www.postgresql.org/download, with initdb and pg_ctl in PATH",
            Self::Python => "https://www.python.org/downloads",
            Self::Varnish => "https://varnish-cache.org/releases",
            Self::NginxPurge => {
                "https://nginx.org/en/download.html and https://github.com/FRiCKLE/ngx_cache_purge, \
                 its module in /usr/lib/nginx/modules"
            }
            Self::Firefox => {
                "https://www.mozilla.org/firefox, then set PLACET_FIREFOX to its program file"
            }
            Self::WebKit => {
                "https://webkitgtk.org/releases and https://www.x.org (Xvfb, with xvfb-run in PATH), \
                 then set PLACET_WEBKIT to the program file of WebKitWebDriver"
            }
            Self::Php => "https://www.php.net/downloads",
            Self::WordPress => {
                "https://wordpress.org/download and https://mariadb.org/download, \
                 then set PLACET_WORDPRESS to the folder of WordPress"
            }
            Self::Curl => "https://curl.se/download.html",
            Self::Go => {
                "https://go.dev/dl and https://pkg.go.dev/golang.org/x/mod, \
                 its files in /usr/share/gocode/src"
            }
            Self::OpenSsl => "https://openssl-library.org/source",
            Self::Nginx => "https://nginx.org/en/download.html",
        }
    }

    /// Finds the program. Returns its path or version if it is installed.
    pub fn found(self) -> Option<String> {
        match self {
            Self::Node => {
                let version = Tool::new("node").arg("--version").output().ok()?;
                let major = version.trim().strip_prefix('v')?.split('.').next()?;
                on_path("npm")?;
                (major.parse::<u32>().ok()? >= NODE_MAJOR).then(|| version.trim().to_owned())
            }
            Self::Chromium => chromium().map(|path| path.display().to_string()),
            Self::ChromiumShell => on_path(SHELL).map(|path| path.display().to_string()),
            Self::Postgres => postgres_programs().map(|path| path.display().to_string()),
            Self::Python => {
                let version = "import ensurepip, platform, venv; print(platform.python_version())";
                let version = Tool::new("python3").args(["-c", version]).output().ok()?;
                Some(version.trim().to_owned())
            }
            Self::Varnish => in_sbin("varnishd"),
            Self::NginxPurge => in_sbin("nginx").filter(|_| Path::new(NGINX_PURGE).is_file()),
            Self::Firefox => firefox().map(|path| path.display().to_string()),
            Self::WebKit => {
                on_path("xvfb-run")?;
                webkit().map(|path| path.display().to_string())
            }
            Self::Php => on_path("php").map(|path| path.display().to_string()),
            Self::WordPress => {
                let modules = Tool::new("php").arg("-m").output().ok()?;
                in_sbin("mariadbd").filter(|_| modules.lines().any(|line| line == "mysqli"))?;
                wordpress().map(|path| path.display().to_string())
            }
            Self::Curl => on_path("curl").map(|path| path.display().to_string()),
            Self::Go => on_path("go")
                .filter(|_| Path::new(GO_LOGS).is_dir())
                .map(|path| path.display().to_string()),
            Self::OpenSsl => {
                let version = Tool::new("openssl").arg("version").output().ok()?;
                let is_new =
                    !version.starts_with("OpenSSL 0.") && !version.starts_with("OpenSSL 1.");
                (version.starts_with("OpenSSL ") && is_new).then(|| version.trim().to_owned())
            }
            Self::Nginx => in_sbin("nginx"),
        }
    }

    /// True if the system's package lists have it.
    fn is_offered(self) -> bool {
        self.found().is_none()
            && self.apt().iter().all(|name| {
                Tool::new("apt-cache")
                    .args(["show", name])
                    .output()
                    .is_ok_and(|said| !said.is_empty())
            })
    }

    /// Shell line that installs it on this machine.
    pub fn install_line(self) -> String {
        if on_path("apt-get").is_some() {
            // By hand the whole package is the shortest way.
            let also = match self {
                Self::WordPress => " wordpress",
                _ => "",
            };
            format!(
                "sudo apt-get install --no-install-recommends {}{also}",
                self.apt().join(" ")
            )
        } else {
            self.elsewhere().to_owned()
        }
    }

    fn apt_install(self) -> Result<()> {
        apt_get()
            .context("apt-get")?
            .args(["-qq", "-y", "--no-install-recommends", "install"])
            .args(self.apt())
            .run_quietly()?;
        match self {
            Self::WordPress if wordpress().is_none() => unpack_wordpress(),
            _ => Ok(()),
        }
    }

    /// Installs it if it is missing.
    pub fn need(self) -> Result<()> {
        if self.found().is_some() {
            return Ok(());
        }
        let _alone = alone();
        if self.found().is_some() {
            return Ok(());
        }
        if apt_get().is_none() {
            bail!(
                "{} is missing; install it:\n    {}",
                self.name(),
                self.install_line()
            );
        }
        step(&format!("installing {}", self.name()), || {
            // The package lists may be old or missing. They are fetched only after a failure.
            if self.apt_install().is_err() {
                apt_get()
                    .context("apt-get")?
                    .args(["-qq", "update"])
                    .run_quietly()?;
                self.apt_install()?;
            }
            Ok(())
        })
        .with_context(|| format!("install it yourself:\n    {}", self.install_line()))?;
        if self.found().is_none() {
            bail!(
                "the packages {} do not bring {}; get it from {}",
                self.apt().join(" "),
                self.name(),
                self.elsewhere()
            );
        }
        Ok(())
    }
}

/// Finds a server's program, also in `/usr/sbin`, which is not in users' `PATH`.
fn in_sbin(name: &str) -> Option<String> {
    let sbin = PathBuf::from("/usr/sbin").join(name);
    let path = on_path(name).or_else(|| sbin.is_file().then_some(sbin))?;
    Some(path.display().to_string())
}

/// `apt-get` with the right to install, if the system has it.
fn apt_get() -> Option<Tool> {
    on_path("apt-get")?;
    let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    let root = Tool::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|id| id.trim() == "0");
    if root {
        let [env, rest @ ..] = quiet;
        return Some(Tool::new(env).args(rest));
    }
    Tool::new("sudo").args(["-n", "true"]).run_quietly().ok()?;
    Some(Tool::new("sudo").arg("-n").args(quiet))
}

/// A program's file in `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

/// Path of Chromium: `PLACET_CHROMIUM`, else the system's.
pub fn chromium() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PLACET_CHROMIUM").map(PathBuf::from) {
        return path.is_file().then_some(path);
    }
    [
        "chromium",
        "chromium-browser",
        "google-chrome-stable",
        "google-chrome",
    ]
    .into_iter()
    .find_map(on_path)
}

/// The name of Chromium's headless shell.
const SHELL: &str = "chromium-headless-shell";

/// Path of Chromium's headless shell, where the system has it and nobody names another Chromium. It has the same engine and
/// costs a quarter less of the processors' time.
pub fn chromium_shell() -> Option<PathBuf> {
    if std::env::var_os("PLACET_CHROMIUM").is_some() {
        return None;
    }
    // Only newer releases of Debian have it.
    if Package::ChromiumShell.is_offered() {
        Package::ChromiumShell.need().ok()?;
    }
    on_path(SHELL)
}

/// Path of Firefox: `PLACET_FIREFOX`, else the system's.
pub fn firefox() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PLACET_FIREFOX").map(PathBuf::from) {
        return path.is_file().then_some(path);
    }
    ["firefox-esr", "firefox"].into_iter().find_map(on_path)
}

/// `WebKitWebDriver`: `PLACET_WEBKIT`, else what the system has.
pub fn webkit() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PLACET_WEBKIT").map(PathBuf::from) {
        return path.is_file().then_some(path);
    }
    on_path("WebKitWebDriver")
}

/// WordPress's files: `PLACET_WORDPRESS`, else the system's, else those unpacked here.
pub fn wordpress() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PLACET_WORDPRESS").map(PathBuf::from) {
        return path.is_dir().then_some(path);
    }
    let places = [PathBuf::from("/usr/share/wordpress"), unpacked_wordpress()];
    places
        .into_iter()
        .find(|path| path.join("wp-load.php").is_file())
}

fn unpacked_wordpress() -> PathBuf {
    workspace::target().join("wordpress/usr/share/wordpress")
}

/// Takes WordPress's files out of Debian's package. Installed, it would bring a web server that listens
/// to everybody.
fn unpack_wordpress() -> Result<()> {
    let whole = workspace::target().join("wordpress");
    let dir = whole.with_extension("part");
    for old in [&dir, &whole] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    std::fs::create_dir_all(&dir)?;
    // The first has links to files of the second.
    Tool::new("apt-get")
        .args(["-qq", "download", "wordpress", "libjs-underscore"])
        .dir(&dir)
        .run_quietly()?;
    for entry in std::fs::read_dir(&dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            Tool::new("dpkg-deb")
                .arg("-x")
                .arg(&path)
                .arg(&dir)
                .run_quietly()?;
            std::fs::remove_file(path)?;
        }
    }
    std::fs::rename(dir, whole)?;
    Ok(())
}

/// Folder of `initdb` and `pg_ctl`. Debian has one folder per version, outside of `PATH`.
pub fn postgres_programs() -> Option<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let version = path.file_name()?.to_str()?.parse().ok()?;
            Some((version, path.join("bin")))
        })
        .filter(|(version, bin)| *version >= 15 && bin.join("initdb").is_file())
        .collect();
    versions.sort();
    versions
        .pop()
        .map(|(_, bin)| bin)
        .or_else(|| on_path("initdb")?.parent().map(Path::to_path_buf))
}

/// Installs rustc's target for browsers if it is missing.
pub fn need_wasm_target() -> Result<()> {
    let _alone = alone();
    if wasm_target_is_there()? {
        return Ok(());
    }
    if on_path("rustup").is_none() {
        bail!(
            "rustc has no target {WASM_TARGET}; install rustup (https://rustup.rs) or that target"
        );
    }
    step(&format!("rustup target add {WASM_TARGET}"), || {
        Tool::new("rustup")
            .args(["target", "add", WASM_TARGET])
            .run_quietly()
    })
}

/// The compiler that checks clippy's lints while it compiles, if it is installed.
pub fn clippy() -> Option<PathBuf> {
    let driver = sysroot().ok()?.join("bin/clippy-driver");
    driver.is_file().then_some(driver)
}

/// Installs clippy if it is missing.
pub fn need_clippy() -> Result<()> {
    let _alone = alone();
    if clippy().is_some() {
        return Ok(());
    }
    if on_path("rustup").is_none() {
        bail!("clippy is missing; install rustup (https://rustup.rs) or your system's clippy");
    }
    step("rustup component add clippy", || {
        Tool::new("rustup")
            .args(["component", "add", "clippy"])
            .run_quietly()
    })
}

/// Folder of the toolchain.
fn sysroot() -> Result<PathBuf> {
    let sysroot = Tool::new("rustc").args(["--print", "sysroot"]).output()?;
    Ok(sysroot.trim().into())
}

/// True if rustc compiles for browsers.
pub fn wasm_target_is_there() -> Result<bool> {
    Ok(sysroot()?.join("lib/rustlib").join(WASM_TARGET).is_dir())
}

/// A copy of the installed lock file, because npm does not keep an exact one.
const INSTALLED: &str = "node_modules/.installed-package-lock.json";

/// True if a folder's npm packages are those of its lock file.
pub fn npm_packages_are_there(dir: &Path) -> bool {
    let wanted = std::fs::read(dir.join("package-lock.json"));
    wanted.is_ok_and(|wanted| {
        std::fs::read(dir.join(INSTALLED)).is_ok_and(|installed| installed == wanted)
    })
}

/// Installs a folder's npm packages unless they are those of its lock file.
pub fn need_npm_packages(dir: &Path) -> Result<()> {
    Package::Node.need()?;
    let _alone = alone();
    let lock = dir.join("package-lock.json");
    let wanted = std::fs::read(&lock).with_context(|| format!("reading {}", lock.display()))?;
    if npm_packages_are_there(dir) {
        return Ok(());
    }
    let shown = dir
        .strip_prefix(workspace::root())
        .unwrap_or(dir)
        .display()
        .to_string();
    step(&format!("npm ci in {shown}"), || {
        Tool::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .dir(dir)
            .run_quietly()
    })?;
    std::fs::write(dir.join(INSTALLED), wanted)?;
    Ok(())
}

/// True if a folder's `venv` has the packages of its `requirements.txt`.
pub fn python_packages_are_there(dir: &Path) -> bool {
    let wanted = std::fs::read(dir.join("requirements.txt"));
    wanted.is_ok_and(|wanted| {
        std::fs::read(dir.join(INSTALLED_PYTHON)).is_ok_and(|installed| installed == wanted)
    })
}

/// A copy of the installed requirements.
const INSTALLED_PYTHON: &str = "venv/.installed-requirements.txt";

/// Installs a folder's `venv` unless it has the packages of its `requirements.txt`.
pub fn need_python_packages(dir: &Path) -> Result<()> {
    Package::Python.need()?;
    let _alone = alone();
    if python_packages_are_there(dir) {
        return Ok(());
    }
    let requirements = dir.join("requirements.txt");
    let wanted = std::fs::read(&requirements)
        .with_context(|| format!("reading {}", requirements.display()))?;
    step("installing the Python packages of the tests", || {
        Tool::new("python3")
            .args(["-m", "venv", "--clear", "venv"])
            .dir(dir)
            .run_quietly()?;
        Tool::new(dir.join("venv/bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["--requirement", "requirements.txt"])
            .dir(dir)
            .run_quietly()
    })?;
    std::fs::write(dir.join(INSTALLED_PYTHON), wanted)?;
    Ok(())
}

// For examples of the guide with a fixed port: gives them a free port, so that they run unchanged and several
// at once.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function () {
  return listen.call(this, 0, '127.0.0.1', () => {
    console.error(`listening on http://127.0.0.1:${this.address().port}`);
  });
};

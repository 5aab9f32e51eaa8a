// For examples of the guide that listen on a port of their own choice: they get a free one, so that
// they run as they stand, several at once.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function () {
  return listen.call(this, 0, '127.0.0.1', () => {
    console.error(`listening on http://127.0.0.1:${this.address().port}`);
  });
};

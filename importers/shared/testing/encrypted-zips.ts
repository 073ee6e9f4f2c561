/**
 * Encrypted archives that Info-ZIP's zip (ZipCrypto) and pyzipper (WinZip's AES) wrote: each has auth.log, of two lines.
 */
export const CONTENT =
  'Nov 14 22:13:20 gate sshd[7]: Failed password for root from 192.0.2.9 port 22 ssh2\n' +
  'Nov 14 22:13:21 gate sshd[7]: Accepted password for alice from 192.0.2.9 port 22 ssh2\n';

export const ARCHIVES: readonly {
  readonly name: string;
  readonly encryption: string;
  readonly password: string;
  readonly bytes: Buffer;
}[] = [
  {
    name: 'ZipCrypto, deflated',
    encryption: 'ZipCrypto',
    password: 'infected',
    bytes: Buffer.from(
      'UEsDBBQACQAIAJd+e13bK/y1dAAAAKkAAAAIABwAYXV0aC5sb2dVVAkAA02nCWtNpwlrdXgLAAEEAAAAAAQAAAAA' +
        'lDImrT14L2AE0QSU5Roohat3Ct9139k0rUNkWJ39YRcSs1KPWjyUBNcijwLl9j4jHdOHNteGCXySJyYQk7SfSk9z' +
        'fuvLyqamg6y4VUuDrTeKtR6RSGj9UB/D8xElYlDHvEhERB69IvUR09JyCpWIGHSbla5QSwcI2yv8tXQAAACpAAAA' +
        'UEsBAh4DFAAJAAgAl357Xdsr/LV0AAAAqQAAAAgAGAAAAAAAAQAAAKSBAAAAAGF1dGgubG9nVVQFAANNpwlrdXgL' +
        'AAEEAAAAAAQAAAAAUEsFBgAAAAABAAEATgAAAMYAAAAAAA==',
      'base64',
    ),
  },
  {
    name: 'ZipCrypto, stored',
    encryption: 'ZipCrypto',
    password: 'infected',
    bytes: Buffer.from(
      'UEsDBAoACQAAAJd+e13bK/y1tQAAAKkAAAAIABwAYXV0aC5sb2dVVAkAA02nCWtNpwlrdXgLAAEEAAAAAAQAAAAA' +
        'MvZqdkSLXuvY1fVntIoXhAoe63T3tlYq479/A3/b18LQGGMdiXeiYyCNY/OT4mkNCX08vVE4DokSgr58kyg+ESaD' +
        '7GsiHQsPjJpG7vzunCechJ7ZhPeAwa0Y2ndhVe5r7hOC1aQ1y/yc9XCtPpbViv7rXN1LEEgeNB4TbLdak5slYvQt' +
        'xk0XHBk1ozN30jxQ3Pwqn+dyvHuzQ28ba1rnmdzL0qKynXRcT7ot5zN4XEVbK4lucFBLBwjbK/y1tQAAAKkAAABQ' +
        'SwECHgMKAAkAAACXfntd2yv8tbUAAACpAAAACAAYAAAAAAAAAAAApIEAAAAAYXV0aC5sb2dVVAUAA02nCWt1eAsA' +
        'AQQAAAAABAAAAABQSwUGAAAAAAEAAQBOAAAABwEAAAAA',
      'base64',
    ),
  },
  {
    name: 'AES-128',
    encryption: 'AES-128',
    password: 'infected',
    bytes: Buffer.from(
      'UEsDBBQAAQBjAJZ+e10AAAAAfAAAAKkAAAAIAAsAYXV0aC5sb2cBmQcAAgBBRQEIALvgp4lZ/ZVuF8G4o5j+lGVp' +
        'ZOU2bi+UIGs+WDR9MhOe2zhYXl/lQ+WWSZMAMnXEjbMrLAqY/ro2KSXq7oJrGZazg0/F8TjCeAfzrzhPuWyi9CkI' +
        'YThYp63ftp5vD7p4+muNFPxCtzEtZfpcC2AOzyGnKvW+U8h20I4IOH1QSwECFAMUAAEAYwCWfntdAAAAAHwAAACp' +
        'AAAACAALAAAAAAAAAAAAgAEAAAAAYXV0aC5sb2cBmQcAAgBBRQEIAFBLBQYAAAAAAQABAEEAAACtAAAAAAA=',
      'base64',
    ),
  },
  {
    name: 'AES-192',
    encryption: 'AES-192',
    password: 'Grüße',
    bytes: Buffer.from(
      'UEsDBBQAAQBjAJZ+e10AAAAAgAAAAKkAAAAIAAsAYXV0aC5sb2cBmQcAAgBBRQIIAGgFllcbz4VF1GM9SQuY20Bp' +
        'VRJHvQ8Tay1asPLBclMcw390fVJfAwJr0LM9riTI8G9Slw1/gKjqXGhW3LmDsXLbTjamXNt5zjW6fOrfUsJyhn5b' +
        'NeI4eaCIixqKanJYMFPMdUUMREU+Ic9i2W3t2Kmy/RR0nFH2DKIW7L4FlOwZUEsBAhQDFAABAGMAln57XQAAAACA' +
        'AAAAqQAAAAgACwAAAAAAAAAAAIABAAAAAGF1dGgubG9nAZkHAAIAQUUCCABQSwUGAAAAAAEAAQBBAAAAsQAAAAAA',
      'base64',
    ),
  },
  {
    name: 'AES-256',
    encryption: 'AES-256',
    password: 'infected',
    bytes: Buffer.from(
      'UEsDBBQAAQBjAJZ+e10AAAAAhAAAAKkAAAAIAAsAYXV0aC5sb2cBmQcAAgBBRQMIAHPdFtRrBuuhoeoaiUnlF69H' +
        'ahHbB6FJR6gdein650XjFCiLAhuHGvAw2o3Zhb37vIzPTx4xhKD1W157x5JnrLIPjdYdBVzqIrCDSLXu7FQnGwBl' +
        'YBocnDTKfZgDCBhv+I3BzI3M8maIoi0oR0ElSQaBSMThNioyyWXW+ygS1/exaSyGAlBLAQIUAxQAAQBjAJZ+e10A' +
        'AAAAhAAAAKkAAAAIAAsAAAAAAAAAAACAAQAAAABhdXRoLmxvZwGZBwACAEFFAwgAUEsFBgAAAAABAAEAQQAAALUA' +
        'AAAAAA==',
      'base64',
    ),
  },
  {
    name: 'AES-256, version 1, stored',
    encryption: 'AES-256',
    password: 'infected',
    bytes: Buffer.from(
      'UEsDBBQAAQBjAJZ+e13bK/y1xQAAAKkAAAAIAAsAYXV0aC5sb2cBmQcAAQBBRQMAAMR0SgqOJh/8mP8e+bqFjkb+' +
        'odTYRnIdXMSFa4ZplvLORrMBRWEXLU7bRf6AQUQVbRkS3vH0UpNB+FROjFaBJ7hmn0vPNZK8P6ij+h4CyyvHkMN5' +
        'dL9BfC6zPo/yvzoVCX4YIuYw8vFf7Lp73c3y/tZsA08ehiE7UQ/2a8jIOih+rWnOeHG+1dxU+JV3nJZwYycDHZEg' +
        'SvwNFiu2CbhsooAk9kLktUqmY5/ZwNdeEAhhxwg3mZJOi/SG2Z+Kh3c1RWBHhSMbUEsBAhQDFAABAGMAln57Xdsr' +
        '/LXFAAAAqQAAAAgACwAAAAAAAAAAAIABAAAAAGF1dGgubG9nAZkHAAEAQUUDAABQSwUGAAAAAAEAAQBBAAAA9gAA' +
        'AAAA',
      'base64',
    ),
  },
];

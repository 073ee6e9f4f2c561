/** 7z archives as 7-Zip 26.02 writes them, of the same files: `7zz a ARCHIVE logs OPTIONS`. */

const names = [
  'logs/empty.log',
  'logs/app1.log',
  'logs/app2.log',
  'logs/app3.log',
  'logs/sub/again.log',
];

/** The content of each archive, by name. */
export const FILES: ReadonlyMap<string, string> = new Map(
  names.map((name) => {
    const host = /\d/.exec(name)?.[0] ?? '1';
    const lines = [1, 2, 3, 4, 5, 6].map(
      (n) => `2026-01-05T00:0${n}:0${host}Z host app[${host}]: message ${n} of file ${host}\n`,
    );
    return [name, name === 'logs/empty.log' ? '' : lines.join('')];
  }),
);
export const MODIFIED_MS = Date.UTC(2026, 0, 6, 10);

interface SevenZip {
  readonly options: string;
  readonly password?: string;
  readonly bytes: Buffer;
}

const archive = (options: string, base64: string, password?: string): SevenZip => ({
  options,
  bytes: Buffer.from(base64, 'base64'),
  ...(password === undefined ? {} : { password }),
});

export const SEVEN_ZIPS: readonly SevenZip[] = [
  archive(
    '',
    'N3q8ryccAATKaUuRLQEAAAAAAAAjAAAAAAAAAP9At9zgBQ8AhV0AGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosC' +
      'ApR8DfJjwzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwe6bd7K8xq6iMfW4eQM/YA1d0ZoeRiUP7ghkHknz2wtD5g' +
      'I2nERZjX58KdaWs7tQAqJNb57iP7AAAAAIEzB64P1S/xMFZsKR9IHZq1t2LJLgW3LZCowkt3DJAG1qEVgLiy+MMWnxTSA2AonTGJ' +
      'msogWevXzxHApjfgddhRueXcDFSHIbPEYvOKr8sauvMYs2uryfoaa4CRs2Z7frCIeQZr4UO/Bn5czmmV1HQ+GWkHyePjtFNVGztc' +
      'hzbDz+RUKd96rHada6MdSyjnHEBgyX3Cos168heoAAAAFwaAjQEJgKAABwsBAAEjAwEBBV0AEAAADIFSCgEavHc+AAA=',
  ),
  archive(
    '-m0=lzma',
    'N3q8ryccAAQfrJNLLAEAAAAAAAAjAAAAAAAAAHrTkaAAGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosCApR8DfJj' +
      'wzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwe6bd7K8xq6iMfW4eQM/YA1d0ZoeRiUP7ghkHknz2wtD5gI2nERZjX' +
      '58KdaWs7tQAqJNb57iP7AAAAgTMHrg/VL8l6lmwpH0grQTJoxsBJmuh1ZlfEgXVNGOMRF3wILSn0K+VD3x4+CqkpZ7UanreR7OqZ' +
      'cbdK1e+wJwfqk2HBLZxIPBHuzyZoNCMzxFOkltfd5Z60GwBTCo87Wvhd1pOSuR7Yi9gPZnLKJQirEftRrQWPwQZ8P4wGOduZdoG/' +
      'rrnu0/FY9FB4uo4fdPmM9SSXd6tIbu+gHhqGxyUwAAAXBoCGAQmApgAHCwEAASMDAQEFXQAQAAAMgWIKAbLhoVwAAA==',
  ),
  archive(
    '-m0=bzip2',
    'N3q8ryccAAS0rYh5YwEAAAAAAAAjAAAAAAAAANDaoxVCWmg5MUFZJlNZJkKodgAA89uAABBAAn8QBBoj5swAMAEalAkqg/yqfqg/' +
      'SgGAUAAAAwFSapTahoPKBpp+qb9G+MtW1bVtW8hNCfInAnuJgoooswNtttttsBMBeQFgBUAUJhJRMOBOAwRySo5E2QbJsioqUphh' +
      'JhuJT4Ew8zkWWWWQJJJIEkkkBcQFAUFBahNm21W1bVtW1boTqJ3J2MTDEwP4TQngJ3EwTsJoShNCewnQTqJoTyEon+LuSKcKEgTI' +
      'VQ7AAACBMweuD9UxKTIXJNP+spd6zrBD/roBUGcmLNGLSvGPUjD5erAeMCfpHA0cLl8gV2P2nrHVKVPot5ujRdEdNVSPwL9SCMib' +
      'e2px/BBmy84s4lDOnDuHu4oszj1LkIZKEosiLD4lsvCn9wQUxz11BYMI60EwwaiesVghHOv1BjNt+b0FWhwiR++Ur7duc0sWOFff' +
      'W2dtoyqsDuovpAAAFwaAxAEJgJ8ABwsBAAEjAwEBBV0AEAAADIFSCgF0kQexAAA=',
  ),
  archive(
    '-m0=deflate',
    'N3q8ryccAASyXvqCNwEAAAAAAAAjAAAAAAAAAGUdltvt0z0KwkAQQOHeU+wFArvzV+QcVopFikQFJYF4f9xyMXmVbWCKab5iHoxk' +
      'iS6XLvs55z6XOpf0mNdPGpblWm59eo/rOtzHVNI8pen5qtvpRwkrYaWslJWxMlbOylkFq2BVapBGyW5D2TRkJayUlbIyVsbKWTmr' +
      'YBWsSj2tUbrbUDcNWQkrZaWsjJWxclbOKlhFo45f/v+XvwAAgTMHrg/VMC+XFmwpH0dLvzZlmCqD3d0qM+z5v9aZ2SB8Q3OPUn/j' +
      'l44Bps0fk/3NGLcZ9grWXKTd8CCbrb4UHi0fKN2w675lrbc/1yfQuVjApcI/R2DS4wT+TS/Fl18GTGtIS10DJv0ecU0rL4Ksd0vx' +
      'LIzIVUI0fKn8UoM8r1SUl+fM06BKnAgxfupmtxRw8uRIlVID8ETlf2wAABcGgJgBCYCfAAcLAQABIwMBAQVdABAAAAyBUgoBALRt' +
      'JwAA',
  ),
  archive(
    '-m0=copy',
    'N3q8ryccAAT8QejqrAUAAAAAAAAjAAAAAAAAAHINauoyMDI2LTAxLTA1VDAwOjAxOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAx' +
      'IG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjAyOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAyIG9mIGZpbGUgMQoyMDI2LTAxLTA1' +
      'VDAwOjAzOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAzIG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjA0OjAxWiBob3N0IGFwcFsx' +
      'XTogbWVzc2FnZSA0IG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjA1OjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSA1IG9mIGZpbGUg' +
      'MQoyMDI2LTAxLTA1VDAwOjA2OjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSA2IG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjAxOjAy' +
      'WiBob3N0IGFwcFsyXTogbWVzc2FnZSAxIG9mIGZpbGUgMgoyMDI2LTAxLTA1VDAwOjAyOjAyWiBob3N0IGFwcFsyXTogbWVzc2Fn' +
      'ZSAyIG9mIGZpbGUgMgoyMDI2LTAxLTA1VDAwOjAzOjAyWiBob3N0IGFwcFsyXTogbWVzc2FnZSAzIG9mIGZpbGUgMgoyMDI2LTAx' +
      'LTA1VDAwOjA0OjAyWiBob3N0IGFwcFsyXTogbWVzc2FnZSA0IG9mIGZpbGUgMgoyMDI2LTAxLTA1VDAwOjA1OjAyWiBob3N0IGFw' +
      'cFsyXTogbWVzc2FnZSA1IG9mIGZpbGUgMgoyMDI2LTAxLTA1VDAwOjA2OjAyWiBob3N0IGFwcFsyXTogbWVzc2FnZSA2IG9mIGZp' +
      'bGUgMgoyMDI2LTAxLTA1VDAwOjAxOjAzWiBob3N0IGFwcFszXTogbWVzc2FnZSAxIG9mIGZpbGUgMwoyMDI2LTAxLTA1VDAwOjAy' +
      'OjAzWiBob3N0IGFwcFszXTogbWVzc2FnZSAyIG9mIGZpbGUgMwoyMDI2LTAxLTA1VDAwOjAzOjAzWiBob3N0IGFwcFszXTogbWVz' +
      'c2FnZSAzIG9mIGZpbGUgMwoyMDI2LTAxLTA1VDAwOjA0OjAzWiBob3N0IGFwcFszXTogbWVzc2FnZSA0IG9mIGZpbGUgMwoyMDI2' +
      'LTAxLTA1VDAwOjA1OjAzWiBob3N0IGFwcFszXTogbWVzc2FnZSA1IG9mIGZpbGUgMwoyMDI2LTAxLTA1VDAwOjA2OjAzWiBob3N0' +
      'IGFwcFszXTogbWVzc2FnZSA2IG9mIGZpbGUgMwoyMDI2LTAxLTA1VDAwOjAxOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAxIG9m' +
      'IGZpbGUgMQoyMDI2LTAxLTA1VDAwOjAyOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAyIG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAw' +
      'OjAzOjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSAzIG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjA0OjAxWiBob3N0IGFwcFsxXTog' +
      'bWVzc2FnZSA0IG9mIGZpbGUgMQoyMDI2LTAxLTA1VDAwOjA1OjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSA1IG9mIGZpbGUgMQoy' +
      'MDI2LTAxLTA1VDAwOjA2OjAxWiBob3N0IGFwcFsxXTogbWVzc2FnZSA2IG9mIGZpbGUgMQoAAIEzB65txXw+wTiXKchVLSX7ctfr' +
      'mwX/tfkDm9Zjbr5akA9N+uDZ/UjAG/+T4j4ztBAQtGjl4HNPBc5Yeyz1POL2NnqYiEed+JpC59Xj7NJKpKM34mnPku+QjdjQxRPP' +
      '7CDc71x7yYyzSdWgmD+KXR/5aoWaxpx7190SZjPzb5NnSzFJTqiIXcmUVS0/CvNpeKioaQtDsfCAAAAXBoUQAQmAnAAHCwEAASMD' +
      'AQEFXQAQAAAMgWIKAf3YDhYAAA==',
  ),
  archive(
    '-m0=bcj -m1=lzma2',
    'N3q8ryccAATiD7N5NgEAAAAAAAAjAAAAAAAAACnTTHLgBQ8AhV0AGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosC' +
      'ApR8DfJjwzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwe6bd7K8xq6iMfW4eQM/YA1d0ZoeRiUP7ghkHknz2wtD5g' +
      'I2nERZjX58KdaWs7tQAqJNb57iP7AAAAAIEzB64P1S/xMFZsJwHg7vtU2gs2+nbVXY7EAaskc3eZmCTEq7xXiNQ6+5Rym46LxG4r' +
      'IIooXAiul1BE8vCKiEKwMX4aLOxj4cHBZhA0Z/kc9E+gcP+98t8i/myCwI9o/eJfWpTonDWROdKHMaGp5msY8Z7Nl0Os7BzE0A+t' +
      'wEwMyT4v3fj3OjahbGTFjOMOZWxjzUi4xox+CvfjPCT2nnFmnJq3AAAAFwaAjQEJgKkABwsBAAEjAwEBBV0AEAAADIFiCgGNpJEB' +
      'AAA=',
  ),
  archive(
    '-m0=delta:2 -m1=lzma',
    'N3q8ryccAATMfKx1VAEAAAAAAAAjAAAAAAAAAE8UQdIAGQv8AG5+eFXwCPw7iYGiHKYsbmcWzQU2XjOB9j7mjQ6VQCMwsz14Kwkm' +
      'XOaVWVody4Ft2mkz8SsN0pi+iidQsp7yMuplH9hLSlp5fEmak8VazKlIXlGUfmcEFquFNRi0NVa3pgokfWzOzhEO7SAaNLInsLRr' +
      '/fi8sbkRrzzY5lWE7+bu/FeH0HRl4hb2WuT93pAah5nZuTh2IE2qFQDOO1YIONy13zoAAIEzB64P1TCKWxck0c/j/ms5ObxY9HfI' +
      'iLk0Mba5jb04+IyOPM1jDFeU1RVNXcOsXz6pOD9KzeB3F1kbmlERnq3TK1lOS+oMHj2EhlHDyvt1ksr7JLkyI4q0Ou19D/e7ZcJq' +
      'jV6dge0ywteyX67EUFhcJeY3WQsd9j1PPrBXyBlHO7XBzTCRjBNAlDZG4i5tIIPvAFv24+HQmJ6lCamTZa/aalNyogYCAAAAFwaA' +
      'qAEJgKwABwsBAAEjAwEBBV0AEAAADIFiCgGQzRK6AAA=',
  ),
  archive(
    '-ms=off',
    'N3q8ryccAATLqOXYBwIAAAAAAAAjAAAAAAAAALYUVsngAUMAUV0AGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosC' +
      'ApR8DfJjwzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwSEhBqAOABQwBTXQAZDAKSsqlR23k0kLD9AHW0flJCI6nn' +
      'j0POun4NK9XKykgDc27YGF2YV3E3Y+h0JYwt0SEweNf8G5XCltjvzdYL6+yHXDHKbt3cxj2d/z4qv2/bAADgAUMAU10AGQwCkrKp' +
      'Udt5NJCw/QB1tH5dBfiw5EBqwhvZm/VvBt3jfAPJIokdABXu/y3SWmAkfwiS0rXmQwWhTxwThLHuESb9LhqEASNmiwzd3/hAp+zZ' +
      'igAA4AFDAFFdABkMApKyqVHbeTSQsP0AdbSNuVKsgmwbCNeN0MqD0HWClxaLAgKUfA3yY8M6o7nFLHIuedk55/m0yQ4S+0PY/nPz' +
      'nKrbEG8O3cv3nrocEhIQagAAAIEzB65tw4py01wnskl26jBr7OlCYSrbWqj7BIoTA3G9K4FM81mPkcBV3NLBvcAaPg9v90EgusPo' +
      '1sDFyCSBGYOOIp36iFjsbqG47kdasumBkQCydbum55J1Q9VnFBT7+BesPuPfDYjNKwnwCdgm6j/qIAZgprwmUhraREm3fdL2g4P0' +
      'umFBCK5u97cXrXF6FV/Ei52FjMRHvJcAAAAXBoFoAQmAnwAHCwEAASMDAQEFXQAQAAAMgWIKAVc9pyIAAA==',
  ),
  archive(
    '-mhc=off',
    'N3q8ryccAARKhESRjQAAAAAAAABSAQAAAAAAABq8dz7gBQ8AhV0AGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosC' +
      'ApR8DfJjwzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwe6bd7K8xq6iMfW4eQM/YA1d0ZoeRiUP7ghkHknz2wtD5g' +
      'I2nERZjX58KdaWs7tQAqJNb57iP7AAABBAYAAQmAjQAHCwEAASEhAQAMhRAACA0ECYFEgUSBRAoB96+59Arvx9Ge0sJ796+59AAA' +
      'BQcOAeAPASARgLUAbABvAGcAcwAAAGwAbwBnAHMALwBzAHUAYgAAAGwAbwBnAHMALwBlAG0AcAB0AHkALgBsAG8AZwAAAGwAbwBn' +
      'AHMALwBhAHAAcAAxAC4AbABvAGcAAABsAG8AZwBzAC8AYQBwAHAAMgAuAGwAbwBnAAAAbABvAGcAcwAvAGEAcABwADMALgBsAG8A' +
      'ZwAAAGwAbwBnAHMALwBzAHUAYgAvAGEAZwBhAGkAbgAuAGwAbwBnAAAAFDoBAGalCspSgN0BZqUKylKA3QEA0D04837cAQDQPTjz' +
      'ftwBANA9OPN+3AEA0D04837cAQDQPTjzftwBFR4BABCA7UEQgO1BIICkgSCApIEggKSBIICkgSCApIEAAA==',
  ),
  archive(
    '-psecret',
    'N3q8ryccAAQPVbnBTwEAAAAAAAAjAAAAAAAAACV/WFLai9p9MdDThwO0ZU6pTbOsfOUz4hr98Wm8JUWlvE88dE03Ul9d//5kvwe9' +
      'fa6GJ74EYPeusnqJVZrRAWcIJN+5hqdvf1RIqKRWXPwf0w2JBkGMks22mY5yHCN1RmQ1vF8LuGZHzHFj8Y+/bLzHtfGeCIbJreV+' +
      'x3f/86mOJgUQnPmFULl3hVDJwxni9hg/5p0AAIEzB64P1TACNRZsJwHg+zElNuQfXPdJccs3gEhW8Yewjnq4CbtpNP9c6Pk8c+nz' +
      'BhAyICZ39xNAX1iLC2x+ym9F/dJ8GeWjQsdEO1WADppIQZU+OKl/99+YHJQz310lDEsy8Qz1VUhbh9mMiQqy75VqiZKPMUylhrUv' +
      'Sf/7pG6JEiZIHprJclAL5HKgKqjrIJo58a1L4XdVzKcysUMgTBgB69QjlDDqkQI6i5zFLSayXTG2cKtf4CcbpgAAABcGgJABCYC/' +
      'AAcLAQABIwMBAQVdABAAAAyBcgoBpeCjmwAA',
    'secret',
  ),
  archive(
    '-pPaßwort -mhe=on',
    'N3q8ryccAAQ4ERxwUAEAAAAAAAA/AAAAAAAAAMKna4UEkVyf8ozlqWq+S90MLwDwhLue/WU55rNPY9Il4mK67nghdgYydXvjSnXl' +
      'YbrMyWBj9d49vy1RneqKYib8uZHgYpmRafu0XrbWQF8LcEXelh6ZMrvBWUhMU06dxsP1YEZZiq5shsaB81qxdyHLzUj9/OeGkyV1' +
      'xO+meVEQtY2Uf/JlDvnaBwxEQMEII/GEbZ/2HEbmb8Zb6o/S4DxopiGMvHM9anEDtokv6IT0uJXvCKmF/k8Pv5HwpaPJcH2cxQ5r' +
      'Tr5Uxrgfsj3x3oMK3a0tpBNKXix6et30CLha4hbhAqEmvNRD4GEez2RY9Rfvh74s22ST+vBMtw1lIqD9QlD3upKqjk8aai7TuxSN' +
      'btZOKJDQQ5dHj3rletIwNtrLfChQXjl4dp1LxSsk2kqGcWBOFC8RFUI6BlHm361hGZsANkdQhjehDR89oX91VzOBLvIXBoCQAQmA' +
      'wAAHCwEAAiQG8QcBElMPUeItjDQUlESLxEQ7cYGzJiMDAQEFXQAQAAABAAyAv4FyCgHpPiWwAAA=',
    'Paßwort',
  ),
];

/** With PPMd, which is not supported. */
export const PPMD = Buffer.from(
  'N3q8ryccAASB4AtyLwEAAAAAAAAjAAAAAAAAAJbEFBcAMf1MUUK9stdrxF9QkAz2Hw0SLAHQn/2PppZjNdBp3QEbHHppuObBFLng' +
    'yhbX5t/tQVkKIVdhItrOvFadhOQD+WqibdipiE67EbH/c75ihk+21A1ot9dMjsI01D/N2JnCan1BeonQizIX4uc+jRg8CodHiG3c' +
    'cbqqbkdXiz2WflT8Fow5YAAAAIEzB64P1S/PJtZsKR9IK0FAk9fWBknA8OYIiRXTZrXAerHQwqgHH/zeC77TIwivp6ZbA9B5A0i5' +
    'Jk1107mZtSZYmlcvzDdJ7uvCXfmqmeGnRglVqzkKVIWvd8YqtzvoSrGcaqUElkMDvTvC/4qspXwmJ+tsDDueuh+f+IFNwxI8Vg/P' +
    'cZ5eCWZ41Czrk1FSnlQazIn1Kv22R3xjMWaPrMpZcmgAAAAXBoCHAQmAqAAHCwEAASMDAQEFXQAQAAAMgWIKATSQZF4AAA==',
  'base64',
);

/** With BCJ2, which is not supported. */
export const BCJ2 = Buffer.from(
  'N3q8ryccAAQvL4Z0UgEAAAAAAAAjAAAAAAAAANm4Sq8AGQwCkrKpUdt5NJCw/QB1tI25UqyCbBsI143QyoPQdYKXFosCApR8DfJj' +
    'wzqjucUsci552Tnn+bTJDhL7Q9j+c/OcqtsQbw7dy/eeuhwe6bd7K8xq6iMfW4eQM/YA1d0ZoeRiUP7ghkHknz2wtD5gI2nERZjX' +
    '58KdaWs7tQAqJNb57iP7AAAAAAAAAAAAAAAAAAAAAAAAgTMHrm3FcvvXeDvIKqz+3tp7Ovkga+c6toufhUiaLCNo2sxUMFpARVuF' +
    '1HS0tiJ2fGQZJ6/gGsui2tYDUoOlTsn4ViVphWZzY3frLs/UcR3n6K1H2/xEjqypcW33mB7PuwCvhZ4kg2AlU429brz7SuVYLwLd' +
    'JoIPX/x1ge54gwipUU4w8puGSvjWyWj/q5cOLLEkehuvv5fUBS7lTSPOXkHIpCnEnhHEusydR3O+vUYklnd6NcY9TgAAABcGgJUB' +
    'CYC9AAcLAQABIwMBAQVdABAAAAyBkgoB1QSmcAAA',
  'base64',
);

/** One file of 100,000,000 zeros. */
export const BOMB = Buffer.from(
  'N3q8ryccAATEt0q9cwAAAAAAAABaAAAAAAAAADItGVdCWmg5MUFZJlNZSr8JKAFfkcAAwAAAAKAAMIBNRtWgqAlkCoCXMUFZJlNZ' +
    'Sr8JKAFfkcAAwAAAAKAAMIBNRtWgqAlkCoCXMUFZJlNZRVWFgQAy+0IAwAAAQAAAoAAwzAmqaaIEptQgSni7kinChIfWvZuAAQQG' +
    'AAEJcwAHCwEAAQMEAgIM5QDh9QAICgFNVUIhAAAFARkJAAAAAAAAAAAAERUAegBlAHIAbwBzAC4AbABvAGcAAAAUCgEAiY/A/VKA' +
    '3QEVBgEAIICkgQAA',
  'base64',
);

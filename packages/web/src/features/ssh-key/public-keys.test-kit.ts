/** One public key of each type that is accepted, with the fingerprint that `ssh-keygen -lf` prints of it. */
export const publicKeys = [
  {
    type: 'ssh-rsa',
    body: 'AAAAB3NzaC1yc2EAAAADAQABAAABAQCzG8qONMehJzG6ffVVbdRW0D4Jm7+VTxTbd6h40o71pCuu8XuHvTUdiCwbIdS7uc40oTLwu62avWplbeb5CqWycW38A1/mUGXwRrVI4sa5XknwW/PyPIeSZEsSXxglZCkv4CkFS5joJj787RPCxONbRdvgU4GrJbWlfchMNBdbjSPf0wwoUflccSPB3y9VJOKTq19Z7GimgbIS/i/VUemNbdm76hjpwDoO+hj0ag4FSXBGDkqcm1S1CNrc96h1mqBSzzd+O0GgZQtZs2eq+iooO4nZRMTXQFrn51WpsgHQJ0tA06vw36wP72Q7crItkaiURr5Z1tyIo8pkQAkfIAEf',
    fingerprint: 'SHA256:2kexTnk5cZC7W+hI9TIBod+X0jdG46ulGEPPWNKRp0k',
  },
  {
    type: 'ssh-ed25519',
    body: 'AAAAC3NzaC1lZDI1NTE5AAAAIGS9I/YD82wCvV9/HKFbUXO/w/UHVa4jLxk+YNFZZoQz',
    fingerprint: 'SHA256:JK3WdAVG0z/ZeAHq0eIDyyBEmI5LA1Qu6wLzn+QtJ78',
  },
  {
    type: 'ssh-dss',
    body: 'AAAAB3NzaC1kc3MAAACBAJuIdflWFldU20BUEmVu6lT5XaRRzGnbNhuqL3ndef16MVx1lK7FEgAiWI1DLfeiwgCGddh/0TkpQa15xHVpV/+Yw768U9J7ISgKcWoC7JfNJbYbLAX+xhe6fGiC7UAYxRQE8eY+6Cc0/merPxl2cmDYbOKUAHg8hiG8FPj94dMfAAAAFQCDZBhP8e5tVLxVngzvVubx4mQzpwAAAIA7p57niNAtxMAyL3GZt2xcO3814oqwVjPdOhIYwbGg7Zo9vcvJHGmZ3BLzS0tou5Qam6kNKzwbbBJvA6fmPwk66b0Gp6G1+HnPbn+aV88G7weJ67OprjjdcWyKdGfcB9EBZFlo2g8U7X7Oxfno8+U8/EXVAiD1euV4jqKiwX6YhgAAAIATNdicK551XLIGRa2UPWzMHi1NZkx6whP36LPEniQMUAM0RKNMCizaYy/cqtSpqaz2tixCPjrlLmjOhWg/HBW1w2ua+Y2T+yU0otUH0uhVsM+empXI8N8bQIYIeJjU0GOqEsO23MGdPyBWWn/pQtuJ2WxecXc77I1HAPlapcQayw==',
    fingerprint: 'SHA256:7Cqn+Lttub3BmArbEG6QaU73E8pscDr/zFUX6vej5f8',
  },
  {
    type: 'ecdsa-sha2-nistp256',
    body: 'AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBH0gKTQTZIEJn4k9ZzVkYdT+IDFwQ77VISvryIrKxh2SbjqRGtmeZqWFv3kxrurQVqv+Xlc0xdhp9PT0VtRc3U8=',
    fingerprint: 'SHA256:xWJpp70cN+6OayGQS1gu8OE34ecuJkacarFJHDs8KWs',
  },
  {
    type: 'ecdsa-sha2-nistp384',
    body: 'AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBO/tIdWNkS7QE24RiY0U5fQaExDJDyL7FZ0iu8PL4/MpoBDigvx+1lK2ckbqkWheocfrKAnwEkVXOiZIrmyyKG7kq8/OhJrXSpD5nVog/rwF1Be1I5RLU2744gxuei0xrg==',
    fingerprint: 'SHA256:o6MT1oHC4QU0m3910iEjPcluF+dERUFOskdKNO8YVFQ',
  },
  {
    type: 'ecdsa-sha2-nistp521',
    body: 'AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAHnVb7o/ZpvudOQEBzRZz6dm/uwxtquegWG60O04vZ/BUTgctN37zKsN/vU05ni3miXDNBlZZhJ9DXb9iF+uwH79wBOx9QhR9mbHenmJ+1aDo+DPItx/GRVGCDyhwrsOcx1Gbz9oraAm4HlA5Rb/sq9OfEQg/cdT9DGh8f4c76CwIc9Gw==',
    fingerprint: 'SHA256:hGjaHIraQpfuTi5JrhKSC2E+0cVO2wpCLb4HWow7wis',
  },
] as const

/** Frames that a hostile guest sends, byte for byte, and a plug at a tap through which tests send and see such frames. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** Who sends, whom it plays, and who is meant. */
export interface Cast {
  own: Party
  other: Party
  gateway: Party
}
export interface Party {
  mac: string
  ip: string
}

const EVERYBODY = 'ff:ff:ff:ff:ff:ff'
/** Nobody has it, so a bridge hands it to all. */
export const NOBODY = '52:54:00:ee:ee:ee'
const ARP = 0x0806
const IPV4 = 0x0800
const IPV6 = 0x86dd

const bytes = (...all: number[]): Buffer => Buffer.from(all)
const word = (value: number): Buffer => bytes((value >> 8) & 255, value & 255)
const mac = (text: string): Buffer => Buffer.from(text.replaceAll(':', ''), 'hex')
const ip = (text: string): Buffer => Buffer.from(text.split('.').map(Number))
const ip6 = (hex: string): Buffer => Buffer.from(hex, 'hex')

/** The checksum of RFC 1071. */
function checksum(data: Buffer): number {
  let sum = 0
  for (let at = 0; at < data.length; at += 2) sum += ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

/** Ethernet II; short ones are filled up, as every card does. */
function ethernet(to: string, from: string, type: number, payload: Buffer): Buffer {
  const frame = Buffer.concat([mac(to), mac(from), word(type), payload])
  return frame.length < 60 ? Buffer.concat([frame, Buffer.alloc(60 - frame.length)]) : frame
}

/** ARP, RFC 826: who says to have an address, in the message and, as `from`, in the frame. */
function arp(operation: 'request' | 'reply', by: Party, asked: string, from = by.mac): Buffer {
  const isRequest = operation === 'request'
  const head = [word(1), word(IPV4), bytes(6, 4), word(isRequest ? 1 : 2)]
  const target = isRequest ? Buffer.alloc(6) : mac(EVERYBODY)
  return ethernet(EVERYBODY, from, ARP, Buffer.concat([...head, mac(by.mac), ip(by.ip), target, ip(asked)]))
}

function ipv4(
  from: string,
  to: string,
  protocol: number,
  payload: Buffer,
  options: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.concat([
    bytes(0x45 + options.length / 4, 0),
    word(20 + options.length + payload.length),
    bytes(0x13, 0x37, 0, 0, 64, protocol, 0, 0),
    ip(from),
    ip(to),
    options,
  ])
  head.writeUInt16BE(checksum(head), 10)
  return Buffer.concat([head, payload])
}

/** Without a checksum, as RFC 768 allows. */
const udp = (from: number, to: number, payload: Buffer): Buffer =>
  Buffer.concat([word(from), word(to), word(8 + payload.length), word(0), payload])

/** ICMP for IPv6, RFC 4443: the checksum is also over who sends it to whom. */
function icmp6(from: Buffer, to: Buffer, message: Buffer): Buffer {
  const length = word(message.length)
  const summed = Buffer.concat([from, to, bytes(0, 0), length, bytes(0, 0, 0, 58), message])
  message.writeUInt16BE(checksum(summed), 2)
  return Buffer.concat([bytes(0x60, 0, 0, 0), length, bytes(58, 255), from, to, message])
}

const linkLocal = (party: Party): Buffer =>
  Buffer.concat([ip6('fe80000000000000'), Buffer.alloc(2), mac(party.mac)])
const ALL_NODES = ip6('ff020000000000000000000000000001')

/** DHCP, RFC 2131: an address, and the sender as router and name server. */
function offer({ own, other }: Cast): Buffer {
  const head = Buffer.alloc(236)
  head.set([2, 1, 6, 0, 0x12, 0x34, 0x56, 0x78])
  head.set(ip('10.9.9.10'), 16)
  head.set(ip(own.ip), 20)
  head.set(mac(other.mac), 28)
  const options = [
    bytes(0x63, 0x82, 0x53, 0x63, 53, 1, 2),
    ...[54, 3, 6].map((option) => Buffer.concat([bytes(option, 4), ip(own.ip)])),
    bytes(51, 4, 0, 0, 0x0e, 0x10, 255),
  ]
  return udp(67, 68, Buffer.concat([head, ...options]))
}

/** An answer of DNS to a question for the address of a name. */
function answer(name: string, address: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([bytes(label.length), Buffer.from(label)]))
  const head = bytes(0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0)
  const record = bytes(0, 0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4)
  return Buffer.concat([head, ...labels, record, ip(address)])
}

/** What no guest may send, by what it is. Whoever gets one of these would believe it, or somebody would. */
export function hostileFrames(cast: Cast): Record<string, Buffer> {
  const { own, other, gateway } = cast
  const spoken = (payload: Buffer, to = EVERYBODY) => ethernet(to, own.mac, IPV4, payload)
  const wrapped = (type: number, ...parts: Buffer[]) => ethernet(NOBODY, own.mac, type, Buffer.concat(parts))
  const own6 = linkLocal(own)
  const router = Buffer.concat([
    bytes(134, 0, 0, 0, 64, 0, 0x07, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1),
    mac(own.mac),
    // A network for everybody to take addresses of.
    bytes(3, 4, 64, 0xc0, 0, 0, 0x0e, 0x10, 0, 0, 0x0e, 0x10, 0, 0, 0, 0),
    ip6('fd770000000000000000000000000000'),
  ])
  const neighbour = Buffer.concat([
    bytes(136, 0, 0, 0, 0xa0, 0, 0, 0),
    linkLocal(other),
    bytes(2, 1),
    mac(own.mac),
  ])
  const from6 = (message: Buffer) =>
    ethernet('33:33:00:00:00:01', own.mac, IPV6, icmp6(own6, ALL_NODES, message))
  const ping = Buffer.concat([bytes(8, 0, 0, 0, 0x13, 0x37, 0, 1), Buffer.from('hostile')])
  ping.writeUInt16BE(checksum(ping), 2)
  const honest = ipv4(own.ip, other.ip, 1, ping)
  return {
    'an IPv6 router that is advertised': from6(router),
    'an IPv6 neighbour that is advertised': from6(neighbour),
    'the address of another, said by ARP': arp('reply', { ...own, ip: other.ip }, other.ip),
    'the address of the gateway, said by ARP': arp('request', { ...own, ip: gateway.ip }, gateway.ip),
    'the own address with the MAC of another, said by ARP': arp(
      'reply',
      { ...own, mac: other.mac },
      own.ip,
      own.mac,
    ),
    'the MAC of another': arp('request', other, gateway.ip),
    'the MAC of the gateway': ethernet(NOBODY, gateway.mac, IPV4, ipv4(gateway.ip, other.ip, 1, ping)),
    'the IPv4 address of another': spoken(ipv4(other.ip, '10.255.255.255', 1, ping), NOBODY),
    'an IPv4 address of the Internet': spoken(ipv4('11.77.0.1', other.ip, 1, ping), NOBODY),
    'an offer of an address by DHCP': spoken(ipv4(own.ip, '255.255.255.255', 17, offer(cast))),
    'an offer of an address by DHCP behind options of IPv4': spoken(
      ipv4(own.ip, '255.255.255.255', 17, offer(cast), bytes(1, 1, 1, 0)),
    ),
    'an answer by mDNS': spoken(
      ipv4(own.ip, '224.0.0.251', 17, udp(5353, 5353, answer('db.local', own.ip))),
      '01:00:5e:00:00:fb',
    ),
    'an answer by LLMNR': spoken(ipv4(own.ip, other.ip, 17, udp(5355, 40_000, answer('db', own.ip))), NOBODY),
    'an answer by NetBIOS': spoken(ipv4(own.ip, '10.255.255.255', 17, udp(137, 137, answer('db', own.ip)))),
    'a frame of a VLAN': wrapped(0x8100, word(7), word(IPV4), honest),
    'a frame of a VLAN within a VLAN': wrapped(0x88a8, word(7), word(0x8100), word(7), word(IPV4), honest),
    'a bridge that says to be the root of all': ethernet(
      '01:80:c2:00:00:00',
      own.mac,
      // The length of what follows in place of a type (IEEE 802.3).
      38,
      Buffer.concat([bytes(0x42, 0x42, 3, 0, 0, 0, 0, 0), Buffer.alloc(30)]),
    ),
    'a session of PPPoE': wrapped(0x8864, bytes(0x11, 0, 0, 1, 0, 2), honest),
  }
}

/** What every guest may send. */
export function honestFrames({ own, other }: Cast): Record<string, Buffer> {
  const message = (to: string, frame: string) => {
    const text = Buffer.from('a message of a guest')
    return ethernet(frame, own.mac, IPV4, ipv4(own.ip, to, 17, udp(40_000, 7, text)))
  }
  return {
    'a question by ARP': arp('request', own, other.ip),
    'a message to everybody': message('255.255.255.255', EVERYBODY),
    'a message to one': message(other.ip, NOBODY),
  }
}

/** A datagram from the own address to one that may be none of a guest's, by way of the gateway. */
export const datagram = ({ own, gateway }: Cast, to: string, port: number, text: string): Buffer =>
  ethernet(gateway.mac, own.mac, IPV4, ipv4(own.ip, to, 17, udp(40_000, port, Buffer.from(text))))

/**
 * A program for guests of x86-64 that sends what it reads as one frame, whatever the kernel would make of it: a shell has
 * nothing that does. System calls after the tables of Linux, its file after elf(5), the address after packet(7).
 */
export function frameSender(interfaceIndex: number): Buffer {
  const base = 0x400000
  const start = 64 + 56
  const buffer = base + 0x1000
  const dword = (value: number) => {
    const four = Buffer.alloc(4)
    four.writeUInt32LE(value)
    return four
  }
  const qword = (value: number) => Buffer.concat([dword(value), dword(0)])
  const half = (value: number) => bytes(value & 255, value >> 8)
  const address = Buffer.concat([half(17), word(3), dword(interfaceIndex), Buffer.alloc(12)])
  const code = (addressAt: number) =>
    Buffer.concat([
      // socket(AF_PACKET, SOCK_RAW, ETH_P_ALL), kept in r12
      Buffer.from('b829000000bf11000000be03000000ba000300000f054189c4', 'hex'),
      // read(0, buffer, 2048)
      Buffer.concat([Buffer.from('31c031ffbe', 'hex'), dword(buffer), Buffer.from('ba000800000f05', 'hex')]),
      // sendto(r12, buffer, what was read, 0, address, 20)
      Buffer.concat([Buffer.from('89c24489e7b82c000000be', 'hex'), dword(buffer)]),
      Buffer.concat([
        Buffer.from('4531d241b8', 'hex'),
        dword(addressAt),
        Buffer.from('41b9140000000f05', 'hex'),
      ]),
      // exit(whether that failed)
      Buffer.from('c1e81f89c7b83c0000000f05', 'hex'),
    ])
  const size = start + code(0).length
  return Buffer.concat([
    Buffer.from('7f454c46020101000000000000000000', 'hex'),
    Buffer.concat([half(2), half(62), dword(1), qword(base + start), qword(64), qword(0), dword(0)]),
    Buffer.concat([half(64), half(56), half(1), half(0), half(0), half(0)]),
    // One segment, to be read, written and run.
    Buffer.concat([dword(1), dword(7), qword(0), qword(base), qword(base), qword(size + 20), qword(0x2000)]),
    qword(0x1000),
    code(base + size),
    address,
  ])
}

export interface TapPlug {
  send(frame: Buffer): void
  /** Everything that has come out of the tap so far. */
  seen: readonly Buffer[]
  end(): Promise<void>
}

/**
 * Sits at a tap in place of a guest: a QEMU without a machine, which hands frames on as they are, each with its length
 * before it (man page qemu(1), `-netdev stream`). It connects to us: the one of Debian 12 that listens ends when a frame
 * comes before anybody has connected. What comes before it has connected is dropped.
 *
 * @param entry what leads a program to where the tap is
 */
export async function plugInto(tap: string, dir: string, entry: readonly string[]): Promise<TapPlug> {
  const path = join(dir, `${tap}.sock`)
  const server = createServer().listen(path)
  await once(server, 'listening')
  const [program = '', ...args] = [
    ...entry,
    ...['qemu-system-x86_64', '-machine', 'none', '-nodefaults', '-display', 'none'],
    ...['-netdev', `tap,id=tap,ifname=${tap},script=no,downscript=no`],
    ...['-netdev', 'hubport,id=one,hubid=0,netdev=tap'],
    ...['-netdev', `stream,id=line,server=off,addr.type=unix,addr.path=${path}`],
    ...['-netdev', 'hubport,id=two,hubid=0,netdev=line'],
  ]
  const qemu = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  qemu.stderr.on('data', (part: Buffer) => {
    said += part
  })
  const ended = once(qemu, 'close').then(() => {
    throw new Error(`Nothing sits at the tap ${tap}: ${said}`)
  })
  ended.catch(() => {})
  const connected = once(server, 'connection') as Promise<[Socket]>
  const [line] = await Promise.race([connected, ended]).finally(() => server.close())
  const seen: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  line.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const length = rest.readUInt32BE(0)
      seen.push(rest.subarray(4, 4 + length))
      rest = rest.subarray(4 + length)
    }
  })
  line.on('error', () => {})
  return {
    seen,
    send(frame) {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(frame.length)
      line.write(Buffer.concat([length, frame]))
    },
    async end() {
      line.destroy()
      qemu.kill('SIGKILL')
      // Only then is the tap free.
      await ended.catch(() => {})
    },
  }
}

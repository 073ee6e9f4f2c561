/*
 * Tribeca's queries over frame relay (LINKTYPE_FRELAY) and ATM (LINKTYPE_SUNATM) captures, each as a
 * loop written for it, with libpcap: relay-count QUERY FILE [DLCI | VCI [VPI]].
 * Prints groups, packets and bytes, so that what is measured can be compared.
 */
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t packets, bytes;
  uint32_t key;
} sum;

/* Groups by a key of 32 bits: an open table that doubles when it is half full. */
static sum all, *groups;
static size_t size = 1 << 12, used;

static size_t place(const sum *table, uint32_t key) {
  size_t at = key * 0x9e3779b97f4a7c15ull >> 20 & (size - 1);
  while (table[at].packets > 0 && table[at].key != key) at = (at + 1) & (size - 1);
  return at;
}

static void grow(void) {
  sum *old = groups;
  const size_t count = size;
  size *= 2;
  groups = calloc(size, sizeof(sum));
  for (size_t i = 0; i < count; i++)
    if (old[i].packets > 0) groups[place(groups, old[i].key)] = old[i];
  free(old);
}

static void add(sum *to, const struct pcap_pkthdr *head) {
  to->packets++;
  to->bytes += head->len;
}

static void add_to(uint32_t key, const struct pcap_pkthdr *head) {
  size_t at = place(groups, key);
  if (groups[at].packets == 0) {
    if (++used * 2 > size) {
      grow();
      at = place(groups, key);
    }
    groups[at].key = key;
  }
  add(&groups[at], head);
}

/* Where IPv4 starts in a frame relay frame, by NLPID or by SNAP; 0 where there is none. */
static uint32_t ip_at(const u_char *f, uint32_t n) {
  if (n < 4 || f[2] != 0x03) return 0;
  if (f[3] == 0xcc) return 4;
  if (n >= 10 && f[3] == 0x00 && f[4] == 0x80 && f[5] == 0 && f[6] == 0 && f[7] == 0 && f[8] == 8 && f[9] == 0)
    return 10;
  return 0;
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t *capture = argc > 2 ? pcap_open_offline(argv[2], error) : NULL;
  if (capture == NULL) {
    fprintf(stderr, "%s\n", argc > 2 ? error : "relay-count QUERY FILE [CIRCUIT [PATH]]");
    return 1;
  }
  const int atm = strncmp(argv[1], "atm", 3) == 0;
  const int query = atoi(argv[1] + (atm ? 3 : 5));
  const unsigned asked = argc > 3 ? (unsigned)atoi(argv[3]) : 0, path = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
  groups = calloc(size, sizeof(sum));
  struct pcap_pkthdr *head;
  const u_char *f;
  while (pcap_next_ex(capture, &head, &f) == 1) {
    const uint32_t n = head->caplen;
    if (atm) {
      if (n < 4) continue;
      const unsigned vpi = f[1], vci = (unsigned)f[2] << 8 | f[3];
      if (query == 1) add_to(vci, head);
      else if (query == 2) add_to(vpi << 16 | vci, head);
      else if (query == 5 ? vci == asked : vci == asked && vpi == path) add(&all, head);
      continue;
    }
    if (query == 1) {
      add(&all, head);
      continue;
    }
    if (n < 4) continue;
    const unsigned dlci = (unsigned)(f[0] >> 2) << 4 | f[1] >> 4;
    if (query == 2) {
      if (dlci != 0) add(&all, head);
      continue;
    }
    const uint32_t at = ip_at(f, n);
    if (at == 0) continue;
    if (query == 3 || query == 7) add(&all, head);
    else if (query == 4) {
      if (dlci == asked) add(&all, head);
    } else if (query == 5) {
      if (n < at + 24) continue;
      add_to((uint32_t)f[at + 20] << 24 | (uint32_t)f[at + 21] << 16 | (uint32_t)f[at + 22] << 8 | f[at + 23], head);
    } else if (query == 6) {
      add_to(dlci, head);
    } else if (query == 8) {
      add_to((unsigned)f[at + 9] << 10 | dlci, head);
    }
  }
  for (size_t i = 0; i < size; i++) all.packets += groups[i].packets, all.bytes += groups[i].bytes;
  printf("%zu %llu %llu\n", used == 0 ? 1 : used, (unsigned long long)all.packets,
         (unsigned long long)all.bytes);
  return 0;
}

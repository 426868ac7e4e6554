// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: one thread fills and searches a B-tree of nodes on the heap: nothing to gain
// fix: none
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

template <class Key, class Value, int Order = 32> class BTree {
    struct Node {
        int used = 0;
        bool leaf = true;
        std::array<Key, Order> keys;
        std::array<Value, Order> values;
        std::array<std::unique_ptr<Node>, Order + 1> children;
    };

public:
    BTree() : root(std::make_unique<Node>()) {}
    void insert(const Key &key, const Value &value)
    {
        if (root->used == Order) {
            auto top = std::make_unique<Node>();
            top->leaf = false;
            top->children[0] = std::move(root);
            root = std::move(top);
            split(*root, 0);
        }
        insert(*root, key, value);
    }
    const Value *find(const Key &key) const
    {
        for (const Node *node = root.get(); node;) {
            int at = position(*node, key);
            if (at < node->used && node->keys[at] == key)
                return &node->values[at];
            node = node->leaf ? nullptr : node->children[at].get();
        }
        return nullptr;
    }

private:
    static int position(const Node &node, const Key &key)
    {
        return int(std::lower_bound(node.keys.begin(), node.keys.begin() + node.used, key) - node.keys.begin());
    }
    static void make_room(Node &node, int at)
    {
        std::move_backward(node.keys.begin() + at, node.keys.begin() + node.used, node.keys.begin() + node.used + 1);
        std::move_backward(node.values.begin() + at, node.values.begin() + node.used,
                           node.values.begin() + node.used + 1);
    }
    static void split(Node &parent, int at)
    {
        Node &full = *parent.children[at];
        auto right = std::make_unique<Node>();
        const int middle = Order / 2;
        right->leaf = full.leaf;
        right->used = Order - middle - 1;
        std::copy(full.keys.begin() + middle + 1, full.keys.end(), right->keys.begin());
        std::copy(full.values.begin() + middle + 1, full.values.end(), right->values.begin());
        std::move(full.children.begin() + middle + 1, full.children.end(), right->children.begin());
        make_room(parent, at);
        std::move_backward(parent.children.begin() + at + 1, parent.children.begin() + parent.used + 1,
                           parent.children.begin() + parent.used + 2);
        parent.keys[at] = full.keys[middle];
        parent.values[at] = full.values[middle];
        parent.children[at + 1] = std::move(right);
        parent.used++;
        full.used = middle;
    }
    static void insert(Node &node, const Key &key, const Value &value)
    {
        int at = position(node, key);
        if (node.leaf) {
            make_room(node, at);
            node.keys[at] = key;
            node.values[at] = value;
            node.used++;
            return;
        }
        if (node.children[at]->used == Order) {
            split(node, at);
            at += node.keys[at] < key;
        }
        insert(*node.children[at], key, value);
    }
    std::unique_ptr<Node> root;
};

int main()
{
    BTree<unsigned, long> tree;
    unsigned seed = 1;
    for (long i = 0; i < 160000; i++) {
        seed = seed * 1664525u + 1013904223u;
        tree.insert(seed, i);
    }
    long hits = 0;
    seed = 1;
    for (int i = 0; i < 400000; i++) {
        seed = seed * 1664525u + 1013904223u;
        hits += tree.find(seed ^ (i & 1)) != nullptr;
    }
    std::printf("%ld\n", hits);
}
